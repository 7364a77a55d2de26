import { Command } from "commander";
import { stringify } from "yaml";
import { lostFields } from "../../contract/manifest-fields.ts";
import { listOfResources } from "../calico/ipam-block.ts";
import {
  calicoResources,
  isForApplications,
  isOfAddresses,
  isOfCalico,
  unsettable,
} from "../calico/to-dump.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { counted } from "../output/count.ts";
import { YAML } from "../output/print.ts";
import { progressing } from "../output/progress.ts";
import { checkNotEmpty } from "../resource/none.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { csvOf } from "../sources/csv.ts";
import type { PoolRead } from "../space/configuration.ts";
import { readWholeSpace, type Space, sayMissing } from "../space/space.ts";

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
  const space = await progressing(io, "reading", (shown) => readWholeSpace(client, shown));
  const document = listOfResources(calicoResources(space));
  // YAML of a whole cluster takes time, so it is made only if it is printed.
  print({
    text: () => stringify(document, YAML),
    document,
    names: document.items.map(({ kind, metadata }) => `${kind}/${metadata.name}`),
  });
  sayMissing(io, space);
  sayLeftOut(io, space);
  sayForApplications(io, space);
  for (const pool of space.pools.filter(isOfCalico)) sayLost(io, pool);
  sayUnsettable(io, space);
  await checkNotEmpty(session, [...space.pools.filter(isOfAddresses), ...space.blocks], "blocks");
}

/** Names the pools whose prefixes the export does not have. */
function sayLeftOut(io: Io, { pools }: Space): void {
  const left = pools.filter((pool) => !isOfAddresses(pool)).map(({ name }) => name);
  if (left.length > 0) io.err(`Note: pools of prefixes are left out: ${left.join(", ")}.\n`);
}

/** Names the pools for applications, which the export of Calico does not have. */
function sayForApplications(io: Io, { pools }: Space): void {
  const left = pools.filter(isForApplications).map(({ name }) => name);
  if (left.length > 0) io.err(`Note: pools for applications are left out: ${left.join(", ")}.\n`);
}

/** Names the fields that the IPPool of a pool does not have. */
function sayLost(io: Io, pool: PoolRead): void {
  const lost = lostFields(pool);
  if (lost.length > 0)
    io.err(
      `Note: pool ${pool.name} is written without ${lost.join(", ")}, because an IPPool has no such fields.\n`,
    );
}

/** Names the settings that Calico's client refuses without strict affinity. Another Plat takes them. */
function sayUnsettable(io: Io, space: Space): void {
  const names = unsettable(space);
  if (names.length > 0)
    io.err(
      `Note: without strictAffinity, Calico's client sets no such ${names.join(" and ")} as the configuration has.\n`,
    );
}

async function exportCsv(
  session: Session,
  { escapeFormulas = false }: { readonly escapeFormulas?: boolean },
): Promise<void> {
  const { io, client } = session;
  const space = await progressing(io, "reading", (shown) => readWholeSpace(client, shown));
  io.out(csvOf(space, escapeFormulas));
  sayMissing(io, space);
  sayLeftOut(io, space);
  const alternates = [...space.owners.values()].filter(({ owner }) => owner?.alternate).length;
  if (alternates > 0)
    io.err(
      `Note: ${counted(alternates, "address has", "addresses have")} an alternate owner, which the table leaves out.\n`,
    );
  await checkNotEmpty(session, [...space.pools.filter(isOfAddresses), ...space.blocks], "blocks");
}
