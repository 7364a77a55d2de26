import { Command } from "commander";
import type { Restored } from "../../restore/restore-table.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { type ConfirmOptions, confirmation, withConfirmation } from "../invocation/confirm.ts";
import { counted } from "../output/count.ts";
import { progressing } from "../output/progress.ts";
import { CommandError, capital, EXIT, usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

interface Options extends ConfirmOptions {
  readonly table: string;
  readonly trail: string;
}

/**
 * Makes the command that works on the table itself: it is for a table that the API does not write. So it uses the credentials of the
 * operator, and no endpoint.
 */
export const restoreCommand = (io: Io): Command =>
  withConfirmation(
    printing(new Command("restore"))
      .summary("Bring a restored table up to date, and let it serve")
      .description(
        "Bring a table that was restored from a backup up to date, check it, and let it serve. The command works on the table itself, with the credentials and the Region of the AWS command line. The exit code is 4 if an invariant does not hold; the table stays frozen then.",
      )
      .requiredOption("--table <name>", "Name of the restored table")
      .requiredOption(
        "--trail <directory>",
        "Directory with the files of the audit trail since the restore point, or from earlier on",
      ),
    "Show what the replay would change, and change nothing",
  )
    .addHelpText(
      "after",
      examples(
        [
          "Show what is missing in the restored table",
          "plat restore --table plat-restored --trail ./trail --dry-run",
        ],
        ["Bring it up to date", "plat restore --table plat-restored --trail ./trail"],
      ),
    )
    .action(action(io, restore));

async function restore(session: Session, options: Options): Promise<void> {
  const { io, print } = session;
  const { table, trail, dryRun = false } = options;
  const confirm = confirmation(session, options);
  // Loaded here, because no other command needs the SDK of the table.
  const { openRestoredTable, readTrail, restoreTable } = await import("../../restore/restore.ts");
  const restored = await orCommandError(async () => {
    const lines = await readTrail(trail);
    const opened = await openRestoredTable(table, io.env.DYNAMODB_ENDPOINT || undefined);
    if (!dryRun)
      await confirm(`Replay ${counted(lines.length, "line", "lines")} in table ${table}?`);
    return progressing(io, "replaying", () => restoreTable(opened, lines, { dryRun }));
  });
  print({
    text: () => textOf(table, restored, dryRun),
    document: { table, ...restored },
    names: [table],
  });
  const violations = restored.checked?.violations ?? [];
  if (violations.length > 0)
    throw new CommandError(
      EXIT.found,
      [
        `${counted(violations.length, "invariant does", "invariants do")} not hold; ${table} stays frozen.`,
        ...violations.map(({ invariant, message }) => `${invariant}: ${message}`),
      ].join("\n"),
    );
}

function textOf(
  table: string,
  { lines, items, changed, checked, thawed }: Restored,
  dryRun: boolean,
) {
  const said = [
    `${counted(lines, "line", "lines")} of ${counted(items, "item", "items")}: ${counted(changed, "item", "items")} ${dryRun ? "would change" : "changed"}.`,
  ];
  if (checked)
    said.push(
      `${counted(checked.counts.taken, "address is", "addresses are")} assigned in ${counted(checked.counts.blocks, "block", "blocks")}.`,
    );
  if (thawed) said.push(`Every invariant holds. ${table} serves within a minute.`);
  return said.map((sentence) => `${sentence}\n`).join("");
}

/** Carries out a restore, and throws its errors as those of a command. */
async function orCommandError<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { name, message } = error as Error;
    if (name === "RestoreError") throw usageError(`${capital(message)}.\nNothing was written.`);
    throw new CommandError(
      EXIT.unreachable,
      `The table cannot be reached: ${message || name}\nThe restore can run again.`,
    );
  }
}
