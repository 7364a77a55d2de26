import { Command } from "commander";
import type * as v from "valibot";
import type { poolRead, poolsRead } from "../../edge/answers.ts";
import { action, printing, type Session } from "../cli.ts";
import { path } from "../client.ts";
import type { Io } from "../io.ts";
import type { Column } from "../output/print.ts";

type Pool = v.InferOutput<typeof poolRead>;

export const poolCommand = (io: Io): Command =>
  new Command("pool")
    .description("pools of addresses")
    .addCommand(
      printing(new Command("get"))
        .description("shows the pools of the space, or one")
        .argument("[name]")
        .action(action(io, get)),
    );

const COLUMNS: readonly Column<Pool>[] = [
  { header: "NAME", value: ({ name }) => name },
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "BLOCKSIZE", value: ({ blockSize }) => blockSize },
  { header: "DISABLED", value: ({ disabled }) => disabled },
  { header: "STATE", value: ({ state }) => state, wide: true },
  { header: "ASSIGNMENT", value: ({ assignmentMode }) => assignmentMode, wide: true },
  { header: "USES", value: ({ allowedUses }) => allowedUses.join(","), wide: true },
  { header: "NODESELECTOR", value: ({ nodeSelector }) => nodeSelector, wide: true },
];

async function get({ client, print }: Session, _: object, name?: string): Promise<void> {
  if (name === undefined) {
    const { body } = await client.call<v.InferOutput<typeof poolsRead>>({
      method: "GET",
      path: path`/v1/pools`,
    });
    return print({ columns: COLUMNS, rows: body.pools, document: body });
  }
  const { body } = await client.call<Pool>({ method: "GET", path: path`/v1/pools/${name}` });
  print({ columns: COLUMNS, rows: [body], document: body });
}
