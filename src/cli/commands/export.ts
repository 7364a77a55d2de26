import { Command } from "commander";
import { stringify } from "yaml";
import { listOf } from "../calico/list.ts";
import { resourcesOf } from "../calico/to-dump.ts";
import { action, printing, type Session } from "../cli.ts";
import { csvOf } from "../csv/write-csv.ts";
import type { HeldBlock } from "../held.ts";
import type { Io } from "../io.ts";
import { YAML } from "../output/print.ts";
import { progressing } from "../progress.ts";
import { readInventory } from "../takeover/inventory.ts";

export const exportCommand = (io: Io): Command =>
  new Command("export")
    .description("writes what Plat has as others read it, to stdout")
    .addCommand(
      printing(new Command("calico"))
        .description("as Calico's resources, a List: pools, configuration, blocks, handles")
        .action(action(io, exportCalico)),
    )
    .addCommand(
      new Command("csv")
        .description("as a table of addresses, with handle, host and attributes")
        .action(action(io, exportCsv)),
    );

async function exportCalico({ io, client, print }: Session): Promise<void> {
  const inventory = await progressing(io, "reading", (shown) => readInventory(client, shown));
  const document = listOf(resourcesOf(inventory));
  // YAML of a whole cluster takes its time: it is only made where it is asked for.
  print({ text: () => stringify(document, YAML), document });
  sayUnknown(io, inventory);
}

async function exportCsv({ io, client }: Session): Promise<void> {
  const inventory = await progressing(io, "reading", (shown) => readInventory(client, shown));
  io.out(csvOf(inventory));
  sayUnknown(io, inventory);
  const alternates = [...inventory.owners.values()].filter(({ owner }) => owner?.alternate).length;
  if (alternates > 0)
    io.err(`note: ${alternates} addresses have an alternate owner, which no table has.\n`);
}

function sayUnknown(io: Io, { blocks }: { readonly blocks: readonly HeldBlock[] }): void {
  const unknown = blocks
    .flatMap(({ addresses }) => addresses)
    .filter(({ state, handle }) => state === "assigned" && handle === undefined).length;
  if (unknown > 0)
    io.err(
      `note: of ${unknown} addresses it is not known whose they are: their records were not found. plat check looks into it.\n`,
    );
}
