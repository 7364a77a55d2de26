import { Command } from "commander";
import { groupedBy } from "../../base/grouped-by.ts";
import { CorruptItemError } from "../../base/outcome.ts";
import type { Living } from "../../restore/adopt.ts";
import type { Restored } from "../../restore/restore-table.ts";
import { twice } from "../import/in-pools.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { type ConfirmOptions, confirmation, withConfirmation } from "../invocation/confirm.ts";
import { several } from "../invocation/options.ts";
import { counted } from "../output/count.ts";
import { progressing } from "../output/progress.ts";
import { CommandError, capital, EXIT, usageError, usageErrors } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import { readInputs } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";
import { addressesInTable, HEADER } from "../sources/csv.ts";

interface Options extends ConfirmOptions {
  readonly table: string;
  readonly trail?: string;
  readonly inventory?: readonly string[];
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
      .option(
        "--trail <directory>",
        "Directory with the files of the audit trail since the restore point, or from earlier on",
      )
      .option(
        "--inventory <[space=]file>",
        "Table of the addresses of a space that live now, as `plat export csv` writes it; - reads stdin (repeatable)",
        several,
      ),
    "Show what the restore would change, and change nothing",
  )
    .addHelpText(
      "after",
      examples(
        [
          "Show what is missing in the restored table",
          "plat restore --table plat-restored --trail ./trail --dry-run",
        ],
        ["Bring it up to date", "plat restore --table plat-restored --trail ./trail"],
        [
          "Adopt what lives, if there is no trail",
          "plat restore --table plat-restored --inventory addresses.csv",
        ],
      ),
    )
    .action(action(io, restore));

async function restore(session: Session, options: Options): Promise<void> {
  const { io, print } = session;
  const { table, trail, inventory, dryRun = false } = options;
  if (trail === undefined && inventory === undefined)
    throw usageError(
      "--trail or --inventory is required: a backup lacks everything that was written after it.",
    );
  const confirm = confirmation(session, options);
  // Loaded here, because no other command needs the SDK of the table.
  const { openRestoredTable, restoreTable } = await import("../../restore/restore-table.ts");
  const { readTrail } = await import("../../restore/read-trail.ts");
  const restored = await orCommandError(table, async () => {
    const lines = trail === undefined ? [] : await readTrail(trail);
    const inventories = (inventory ?? []).map((text) => inventoryIn(text, session.client.space));
    const living = await livingIn(io, inventories);
    const untold = lines.length === 0 && {
      spaces: inventories.map(({ space }) => space),
      arePrefixesKnown: trail !== undefined,
    };
    const opened = await openRestoredTable(table, io.env.DYNAMODB_ENDPOINT || undefined);
    if (!dryRun)
      await confirm(
        `Replay ${counted(lines.length, "line", "lines")} in table ${table}, and adopt ${counted(living.length, "address", "addresses")}?`,
      );
    return progressing(io, "replaying", () =>
      restoreTable(opened, { lines, living, ...untold }, { dryRun }),
    );
  });
  print({
    text: () => textOf(table, restored, dryRun),
    document: { table, ...restored },
    names: [table],
  });
  const { rejected } = restored.adoption;
  if (rejected.length > 0)
    throw new CommandError(
      EXIT.found,
      [
        `${counted(rejected.length, "address", "addresses")} ${dryRun ? "cannot" : "could not"} be adopted; ${table} ${dryRun ? "would stay" : "stays"} frozen.`,
        "If you remove an address from the inventory, Plat may assign it again.",
        ...rejected,
      ].join("\n"),
    );
  const [first] = restored.untold ?? [];
  if (first !== undefined)
    throw new CommandError(
      EXIT.found,
      `No inventory says what lives in ${restored.untold?.map((name) => `space ${name}`).join(", ")}; ${table} ${dryRun ? "would stay" : "stays"} frozen.\nAdd the table of each space: --inventory ${first}=FILE. If it has no addresses, its table is the line ${HEADER} alone.`,
    );
  const pools = (restored.untoldPools ?? []).map(
    ({ space, pool }) => `pool ${pool} of space ${space}`,
  );
  if (pools.length > 0)
    throw new CommandError(
      EXIT.found,
      `No inventory has the prefixes of ${pools.join(", ")}; ${table} ${dryRun ? "would stay" : "stays"} frozen.\nOnly the audit trail says which of them were assigned after the backup: add --trail DIRECTORY. If there is none, docs/restore.md says what to do.`,
    );
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

interface Inventory {
  readonly space: string;
  readonly file: string;
}

/** Returns the space and the file that `--inventory` names. One that names no space is that of the command. */
function inventoryIn(text: string, space: string): Inventory {
  const [, named = space, file = text] = /^([a-z0-9-]+)=(.+)$/.exec(text) ?? [];
  return { space: named, file };
}

/** Reads the addresses of inventories. @throws {CommandError} if a space has one twice: nobody knows whose it is */
async function livingIn(io: Io, inventories: readonly Inventory[]): Promise<readonly Living[]> {
  const files = await readInputs(
    io,
    inventories.map(({ file }) => file),
  );
  const living = files.flatMap(({ name, text }, at) => {
    const { space } = inventories[at] as Inventory;
    return addressesInTable(name, text).map((address) => ({ space, ...address }));
  });
  const ofSpaces = groupedBy(living, ({ space }) => space);
  const again = [...ofSpaces.values()].flatMap(twice);
  if (again.length > 0) throw usageErrors(again.map(({ name, problem }) => `${name} ${problem}.`));
  return living;
}

function textOf(
  table: string,
  { lines, items, changed, adoption, checked, thawed }: Restored,
  dryRun: boolean,
) {
  const said = [
    `${counted(lines, "line", "lines")} of ${counted(items, "item", "items")}: ${counted(changed, "item", "items")} ${dryRun ? "would change" : "changed"}.`,
  ];
  const { adopted, reassigned } = adoption;
  const others =
    reassigned === 0
      ? ""
      : `, ${reassigned} from ${reassigned === 1 ? "another handle" : "other handles"}`;
  if (adopted > 0)
    said.push(
      dryRun
        ? `${counted(adopted, "address", "addresses")} would be adopted${others}.`
        : `${counted(adopted, "address was", "addresses were")} adopted${others}.`,
    );
  if (checked)
    said.push(
      `${counted(checked.counts.taken, "address is", "addresses are")} assigned in ${counted(checked.counts.blocks, "block", "blocks")}.`,
    );
  if (thawed) said.push(`Every invariant holds. ${table} serves within a minute.`);
  return said.map((sentence) => `${sentence}\n`).join("");
}

/** Carries out a restore, and throws its errors as those of a command. */
async function orCommandError<T>(table: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { name, message } = error as Error;
    if (name === "RestoreError") throw usageError(`${capital(message)}.\nNothing was written.`);
    if (error instanceof CorruptItemError)
      throw new CommandError(
        EXIT.found,
        `${error.sentence}\nThe restore stopped there, and did not let ${table} serve. Run it again with the version that wrote the item.`,
      );
    throw new CommandError(
      EXIT.unreachable,
      `Cannot reach the table: ${message || name}\nYou can run the restore again.`,
    );
  }
}
