import { Command } from "commander";
import { readDump } from "../calico/dump.ts";
import { wantedFrom } from "../calico/from-dump.ts";
import { action, printing, type Session } from "../cli.ts";
import { wantedFromCsv } from "../csv/read-csv.ts";
import { usageError } from "../exit.ts";
import { readInput } from "../input.ts";
import type { Io } from "../io.ts";
import { takeOver } from "../takeover/take-over.ts";
import { isEmpty, type Wanted } from "../takeover/wanted.ts";

interface ImportOptions {
  readonly filename: readonly string[];
  readonly dryRun?: true;
}

export const importCommand = (io: Io): Command =>
  new Command("import")
    .description("takes addresses over from elsewhere, all of them or none")
    .addCommand(
      importing("calico", "a dump of kubectl get or of calicoctl datastore migrate export")
        .description("takes over a cluster: pools, configuration, blocks and addresses")
        .action(action(io, importCalico)),
    )
    .addCommand(
      importing("csv", "a table with the columns address, handle, host and attributes")
        .description("takes over addresses from a table")
        .action(action(io, importCsv)),
    );

const importing = (name: string, file: string): Command =>
  printing(new Command(name))
    .requiredOption("-f, --filename <file...>", `${file}; - reads stdin (several times)`)
    .option("--dry-run", "shows what would be done, and writes nothing");

async function importCalico(session: Session, options: ImportOptions): Promise<void> {
  const wanted = wantedFrom(readDump(await textsOf(session, options)));
  await takeOverAll(session, wanted, options);
}

async function importCsv(session: Session, options: ImportOptions): Promise<void> {
  const wanted = await wantedFromCsv(session.client, await textsOf(session, options));
  await takeOverAll(session, wanted, options);
}

async function takeOverAll(
  session: Session,
  wanted: Wanted,
  { filename, dryRun }: ImportOptions,
): Promise<void> {
  for (const note of wanted.notes) session.io.err(`note: ${note}\n`);
  if (isEmpty(wanted)) throw usageError(`${filename.join(" and ")} has nothing that Plat takes.`);
  await takeOver(session, wanted, dryRun === true);
}

async function textsOf(
  { io }: Session,
  { filename: files }: ImportOptions,
): Promise<ReadonlyMap<string, string>> {
  if (files.indexOf("-") !== files.lastIndexOf("-"))
    throw usageError("- is named twice; stdin can be read once.");
  const texts = new Map<string, string>();
  for (const file of files) texts.set(file === "-" ? "stdin" : file, await readInput(io, file));
  return texts;
}
