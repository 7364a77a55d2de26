import { Command } from "commander";
import { stringify } from "yaml";
import { lostFields } from "../../contract/manifest-fields.ts";
import { readInventory } from "../calico/inventory.ts";
import { listOf } from "../calico/list.ts";
import { type Inventory, resourcesOf } from "../calico/to-dump.ts";
import { csvOf } from "../csv/write-csv.ts";
import type { Pool } from "../import/current.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { YAML } from "../output/print.ts";
import { progressing } from "../output/progress.ts";
import { checkNotEmpty } from "../resource/none.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { sayMissing } from "../snapshot/held.ts";

export const exportCommand = (io: Io): Command =>
  new Command("export")
    .description("Export the space to other systems, on stdout")
    .addHelpText(
      "after",
      examples(
        ["Write Calico's resources", "plat export calico > dump.yaml"],
        ["Write a table of addresses", "plat export csv > addresses.csv"],
      ),
    )
    .addCommand(
      printing(new Command("calico"))
        .description(
          "Write Calico's resources as one List: pools, configuration, blocks and handles",
        )
        .addHelpText(
          "after",
          examples(
            ["Write them in YAML", "plat export calico > dump.yaml"],
            ["Write them in JSON", "plat export calico -o json > dump.json"],
          ),
        )
        .action(action(io, exportCalico)),
    )
    .addCommand(
      new Command("csv")
        .description("Write a table of the assigned addresses, with handle, host and attributes")
        .option(
          "--escape-formulas",
          "Put ' before each value that a spreadsheet would execute, such as =1; for people, not for an import",
        )
        .addHelpText(
          "after",
          examples(
            ["Write the table", "plat export csv > addresses.csv"],
            [
              "Write it for people with a spreadsheet",
              "plat export csv --escape-formulas > addresses.csv",
            ],
          ),
        )
        .action(action(io, exportCsv)),
    );

async function exportCalico(session: Session): Promise<void> {
  const { io, client, print } = session;
  const inventory = await progressing(io, "reading", (shown) => readInventory(client, shown));
  const document = listOf(resourcesOf(inventory));
  // YAML of a whole cluster takes time, so it is made only if it is printed.
  print({
    text: () => stringify(document, YAML),
    document,
    names: document.items.map(({ kind, metadata }) => `${kind}/${metadata.name}`),
  });
  sayMissing(io, inventory);
  sayLeftOut(io, inventory);
  for (const pool of inventory.pools) sayLost(io, pool);
  await checkNotEmpty(session, [...inventory.pools, ...inventory.blocks], "blocks");
}

/** Names the pools whose prefixes the export does not have. */
function sayLeftOut(io: Io, { prefixPools }: Inventory): void {
  if (prefixPools.length > 0)
    io.err(`Note: pools of prefixes are left out: ${prefixPools.join(", ")}.\n`);
}

/** Names the fields that the IPPool of a pool does not have. */
function sayLost(io: Io, pool: Pool): void {
  const lost = lostFields(pool);
  if (lost.length > 0)
    io.err(
      `Note: pool ${pool.name} is written without ${lost.join(", ")}, because an IPPool has no such fields.\n`,
    );
}

async function exportCsv(
  session: Session,
  { escapeFormulas = false }: { readonly escapeFormulas?: boolean },
): Promise<void> {
  const { io, client } = session;
  const inventory = await progressing(io, "reading", (shown) => readInventory(client, shown));
  io.out(csvOf(inventory, escapeFormulas));
  sayMissing(io, inventory);
  sayLeftOut(io, inventory);
  const alternates = [...inventory.owners.values()].filter(({ owner }) => owner?.alternate).length;
  if (alternates > 0)
    io.err(`Note: ${alternates} addresses have an alternate owner, which the table leaves out.\n`);
  await checkNotEmpty(session, [...inventory.pools, ...inventory.blocks], "blocks");
}
