import { Command } from "commander";
import type * as v from "valibot";
import type { reservationRead } from "../../edge/answers.ts";
import { action, type Session } from "../cli.ts";
import type { Io } from "../io.ts";
import { texts } from "../options.ts";
import type { Column } from "../output/print.ts";
import { applyCommand } from "../resource/apply.ts";
import { create } from "../resource/create.ts";
import { deleteCommand } from "../resource/delete.ts";
import { getCommand } from "../resource/get.ts";
import { RESERVATION } from "../resource/kind.ts";

export const reservationCommand = (io: Io): Command =>
  new Command("reservation")
    .description("addresses that are kept out of automatic assignment")
    .addCommand(getCommand(io, RESERVATION, COLUMNS))
    .addCommand(createCommand(io))
    .addCommand(applyCommand(io, RESERVATION))
    .addCommand(deleteCommand(io, RESERVATION));

const COLUMNS: readonly Column<v.InferOutput<typeof reservationRead>>[] = [
  { header: "NAME", value: ({ name }) => name },
  { header: "CIDRS", value: ({ cidrs }) => cidrs.join(",") },
  { header: "REASON", value: ({ reason }) => reason },
];

interface Options {
  readonly cidr: readonly string[];
  readonly reason?: string;
}

const createCommand = (io: Io): Command =>
  new Command("create")
    .description("reserves addresses")
    .argument("<name>")
    .requiredOption(
      "--cidr <cidrs>",
      "CIDRs, addresses and a-b ranges; may be given several times",
      texts,
    )
    .option("--reason <text>", "why, for people")
    .action(
      action(io, (session: Session, { cidr, ...said }: Options, name: string) =>
        create(session, RESERVATION, name, { cidrs: cidr, ...said }),
      ),
    );
