import { Command } from "commander";
import { type PoolHistory, readPoolHistory } from "../api/alarms.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import type { Column } from "../output/column.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

export const poolHistoryCommand = (io: Io): Command =>
  printing(new Command("history"))
    .description("Show the use of a pool over time, and when nothing is left")
    .argument("<pool>", "Name of the pool")
    .addHelpText(
      "after",
      examples(["Show the use of a pool in the last month", "plat pool history default-ipv4"]),
    )
    .action(action(io, show));

const COLUMNS: readonly Column<PoolHistory["samples"][number]>[] = [
  { header: "AT", value: ({ at }) => at },
  { header: "IN USE", value: ({ inUse }) => String(inUse) },
  { header: "AVAILABLE", value: ({ available }) => String(available) },
  { header: "ASSIGNABLE", value: ({ assignable }) => String(assignable) },
];

async function show(
  { io, client, print }: Session,
  _options: unknown,
  name: string,
): Promise<void> {
  const document = await readPoolHistory(client, name);
  print({ columns: COLUMNS, rows: document.samples, document });
  const { percentUsed, exhaustedAt } = document;
  if (percentUsed === undefined)
    io.err(`Note: Pool ${name} was not counted yet. The first pass ends within minutes.\n`);
  else
    io.err(
      `Note: ${percentUsed} % is in use or cooling. ${
        exhaustedAt
          ? `If the use grows on, nothing is left at ${exhaustedAt}.`
          : "No exhaustion is forecast."
      }\n`,
    );
}
