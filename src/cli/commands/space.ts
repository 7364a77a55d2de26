import { Command } from "commander";
import { action, printing, type Session } from "../invocation/cli.ts";
import type { Column } from "../output/column.ts";
import { getVerb } from "../resource/get.ts";
import { listKnown } from "../resource/list.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

const EXAMPLES = examples(["Show the spaces of the environment", "plat space get"]);

export const spaceCommand = (io: Io): Command =>
  new Command("space")
    .description("Show the address spaces of the environment")
    .addHelpText("after", EXAMPLES)
    .addCommand(
      printing(getVerb())
        .description("Show the spaces that have pools")
        .addHelpText("after", EXAMPLES)
        .action(action(io, get)),
    );

interface Space {
  readonly name: string;
}

const COLUMNS: readonly Column<Space>[] = [{ header: "NAME", value: ({ name }) => name }];

async function get({ client, print, io }: Session): Promise<void> {
  const { bodies, unread } = await listKnown<Space>(client, { plural: "spaces" });
  print({ columns: COLUMNS, rows: bodies, document: { spaces: bodies } });
  if (unread) throw unread;
  if (bodies.length === 0) io.err("Note: no space has a pool.\n");
}
