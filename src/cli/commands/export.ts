import { Command } from "commander";
import { stringify } from "yaml";
import { resourcesOf } from "../calico/to-dump.ts";
import { action, type Session } from "../cli.ts";
import { csvOf } from "../csv/write-csv.ts";
import { usageError } from "../exit.ts";
import type { Io } from "../io.ts";
import { progressing } from "../progress.ts";
import { readInventory } from "../takeover/inventory.ts";

interface ExportOptions {
  readonly output?: string;
}

export const exportCommand = (io: Io): Command =>
  new Command("export")
    .description("writes what Plat has as others read it, to stdout")
    .addCommand(
      new Command("calico")
        .description("as Calico's resources: pools, configuration, blocks, affinities, handles")
        .option("-o, --output <format>", "yaml, or json", "yaml")
        .action(action(io, exportCalico)),
    )
    .addCommand(
      new Command("csv")
        .description("as a table of addresses, with handle, host and attributes")
        .action(action(io, exportCsv)),
    );

async function exportCalico({ io, client }: Session, { output }: ExportOptions): Promise<void> {
  if (output !== "yaml" && output !== "json")
    throw usageError(`-o is "${output}"; it must be yaml or json.`);
  const inventory = await progressing(io, "reading", (shown) => readInventory(client, shown));
  const items = resourcesOf(inventory);
  if (output === "json")
    io.out(`${JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, 2)}\n`);
  else {
    io.out("apiVersion: v1\nkind: List\nitems:\n");
    // One by one: the text of a whole cluster is long.
    for (const item of items) io.out(stringify([item], YAML));
  }
}

/** What a reader of YAML 1.1, as kubectl has one, would take for something else than the text that it is, is quoted. */
const YAML = { version: "1.1", indentSeq: false, lineWidth: 0 } as const;

async function exportCsv({ io, client }: Session): Promise<void> {
  const { blocks, owners } = await progressing(io, "reading", (shown) =>
    readInventory(client, shown),
  );
  io.out(csvOf(blocks, owners));
  const alternates = [...owners.values()].filter(({ owner }) => owner?.alternate).length;
  if (alternates > 0)
    io.err(`note: ${alternates} addresses have an alternate owner, which no table has.\n`);
}
