import { Command } from "commander";
import { stringify } from "yaml";
import { listOf } from "../calico/list.ts";
import { resourcesOf } from "../calico/to-dump.ts";
import { action, printing, type Session } from "../cli.ts";
import { csvOf } from "../csv/write-csv.ts";
import { sayMissing } from "../held.ts";
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
  sayMissing(io, inventory);
}

async function exportCsv({ io, client }: Session): Promise<void> {
  const inventory = await progressing(io, "reading", (shown) => readInventory(client, shown));
  io.out(csvOf(inventory));
  sayMissing(io, inventory);
  const alternates = [...inventory.owners.values()].filter(({ owner }) => owner?.alternate).length;
  if (alternates > 0)
    io.err(`note: ${alternates} addresses have an alternate owner, which no table has.\n`);
}
