import { Command } from "commander";
import type { Answer } from "../../client/index.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import type { Column } from "../output/table.ts";
import { getVerb } from "../resource/get.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { rejectUnread } from "../space/lists.ts";

const EXAMPLES = examples(["Show what an operator should look at now", "plat alarm get"]);

export const alarmCommand = (io: Io): Command =>
  new Command("alarm")
    .description("Show the thresholds of Plat that are crossed now")
    .addHelpText("after", EXAMPLES)
    .addCommand(
      printing(getVerb())
        .description("Show the alarms of the space, and of overdue work in the table")
        .addHelpText("after", EXAMPLES)
        .action(action(io, get)),
    );

const COLUMNS: readonly Column<Answer<"listAlarms">["alarms"][number]>[] = [
  { header: "ALARM", value: ({ id }) => id },
  { header: "POOL", value: ({ pool }) => pool },
  { header: "DETAIL", value: ({ detail }) => detail },
];

async function get({ io, client, print }: Session): Promise<void> {
  const document = (await client.listAlarms()).body;
  print({ columns: COLUMNS, rows: document.alarms, document });
  rejectUnread(document.unreadable);
  if (document.alarms.length === 0) io.err("Note: no alarm is raised.\n");
}
