import { Command } from "commander";
import { action, ignoringNotFound, printing, type Session } from "../invocation/cli.ts";
import { type ConfirmOptions, confirmation, withConfirmation } from "../invocation/confirm.ts";
import {
  checkTimeout,
  endWithJob,
  type WaitOptions,
  withWait,
} from "../invocation/wait-for-job.ts";
import type { Column } from "../output/table.ts";
import { getVerb } from "../resource/get.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { knownIn, unreadIn } from "../space/lists.ts";

const EXAMPLES = examples(["Show the spaces of the environment", "plat space get"]);
const DELETE_EXAMPLES = examples(
  ["Delete a space", "plat space delete blue"],
  ["Wait until it is deleted", "plat space delete blue --wait"],
);

export const spaceCommand = (io: Io): Command =>
  new Command("space")
    .description("Show the address spaces of the environment, and delete empty ones")
    .addHelpText("after", EXAMPLES)
    .addCommand(
      printing(getVerb())
        .description("Show the spaces that have pools, or were configured a moment ago")
        .addHelpText("after", EXAMPLES)
        .action(action(io, get)),
    )
    .addCommand(
      withWait(
        ignoringNotFound(
          withConfirmation(
            printing(new Command("delete"))
              .description("Delete a space that has no pool, no application and no node")
              .argument("<space>", "Name of the space"),
            "Show the job that would start, and start nothing",
          ),
        ),
        "Wait until the job is over",
      )
        .addHelpText("after", DELETE_EXAMPLES)
        .action(action(io, deleteSpace)),
    );

async function deleteSpace(
  session: Session,
  options: ConfirmOptions & WaitOptions,
  space: string,
): Promise<void> {
  const { dryRun } = options;
  checkTimeout(options);
  const confirm = confirmation(session, options);
  if (!dryRun)
    await confirm(`Delete space ${space}, with its settings, reservations, quotas and namespaces?`);
  // The job belongs to the space that is deleted, whatever the space of the command.
  const client = session.clientIn(space);
  const { body } = await client.deleteSpace({ space, dryRun });
  await endWithJob({ ...session, client }, body.job, options);
}

const COLUMNS: readonly Column<{ readonly name: string }>[] = [
  { header: "NAME", value: ({ name }) => name },
];

async function get({ client, print, io }: Session): Promise<void> {
  const { items, unreadable } = await knownIn(client.pages.listSpaces(), ({ spaces }) => spaces);
  print({ columns: COLUMNS, rows: items, document: { spaces: items } });
  const unread = unreadIn(unreadable);
  if (unread) throw unread;
  if (items.length === 0) io.err("Note: no space has a pool.\n");
}
