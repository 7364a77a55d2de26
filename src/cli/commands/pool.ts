import { Command, Option } from "commander";
import type * as v from "valibot";
import { ASSIGNMENT_MODES, BORROWING, USES } from "../../domain/pool.ts";
import type { poolRead } from "../../edge/answers.ts";
import { action, type Session } from "../cli.ts";
import type { Io } from "../io.ts";
import { count, texts } from "../options.ts";
import type { Column } from "../output/print.ts";
import { applyCommand } from "../resource/apply.ts";
import { create } from "../resource/create.ts";
import { getCommand } from "../resource/get.ts";
import { POOL } from "../resource/kind.ts";
import { poolJobCommands } from "./pool-jobs.ts";

export type Pool = v.InferOutput<typeof poolRead>;

export function poolCommand(io: Io): Command {
  const command = new Command("pool")
    .description("pools of addresses")
    .addCommand(getCommand(io, POOL, POOL_COLUMNS))
    .addCommand(applyCommand(io, POOL))
    .addCommand(createCommand(io));
  for (const one of poolJobCommands(io)) command.addCommand(one);
  return command;
}

export const POOL_COLUMNS: readonly Column<Pool>[] = [
  { header: "NAME", value: ({ name }) => name },
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "BLOCKSIZE", value: ({ blockSize }) => blockSize },
  { header: "DISABLED", value: ({ disabled }) => disabled },
  { header: "STATE", value: ({ state }) => state, wide: true },
  { header: "ASSIGNMENT", value: ({ assignmentMode }) => assignmentMode, wide: true },
  { header: "USES", value: ({ allowedUses }) => allowedUses.join(","), wide: true },
  { header: "NODESELECTOR", value: ({ nodeSelector }) => nodeSelector, wide: true },
];

/** Its options have the names of the fields that they are. */
const createCommand = (io: Io): Command =>
  new Command("create")
    .description("creates a pool")
    .argument("<name>")
    .requiredOption("--cidr <cidr>", "its range")
    .option(
      "--block-size <prefix>",
      "the prefix length of its blocks; usually 26, for IPv6 122",
      count,
    )
    .option("--disabled", "serves nobody until it is enabled")
    .addOption(
      new Option("--assignment-mode <mode>", "does it serve requests that do not name it?").choices(
        ASSIGNMENT_MODES,
      ),
    )
    .option("--allowed-uses <uses>", `whom it serves: ${USES.join(", ")}`, texts)
    .option("--node-selector <selector>", "which hosts it serves by itself")
    .option("--namespace-selector <selector>", "which namespaces it serves by itself")
    .addOption(
      new Option("--borrowing <rule>", "may a host take from others' blocks?").choices(BORROWING),
    )
    .option("--cooldown-seconds <n>", "how long a released address rests", count)
    .action(
      action(io, (session: Session, options: object, name: string) =>
        create(session, POOL, name, options),
      ),
    );
