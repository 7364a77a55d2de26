import { Command } from "commander";
import { readDump } from "../calico/dump.ts";
import { desiredFrom } from "../calico/from-dump.ts";
import { type Desired, importsNothing } from "../import/desired.ts";
import { importCluster } from "../import/import-cluster.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import {
  type Confirm,
  type ConfirmOptions,
  confirmation,
  withConfirmation,
} from "../invocation/confirm.ts";
import { usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import { readInputs } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";
import { desiredFromCsv } from "../sources/csv.ts";
import { desiredFromHostLocal } from "../sources/host-local.ts";
import { desiredFromNetbox } from "../sources/netbox.ts";
import { desiredFromPhpipam } from "../sources/phpipam.ts";
import { desiredFromSpiderpool } from "../sources/spiderpool.ts";
import { desiredFromWhereabouts } from "../sources/whereabouts.ts";

interface ImportOptions extends ConfirmOptions {
  readonly filename: readonly string[];
}

export const importCommand = (io: Io): Command =>
  new Command("import")
    .description("Import addresses from another system")
    .addHelpText(
      "after",
      examples(
        ["Import a Calico cluster", "plat import calico -f dump.json"],
        ["Import a table of addresses", "plat import csv -f addresses.csv"],
        ["Import the addresses of NetBox", "plat import netbox -f ip-addresses.json"],
        ["Import the addresses of phpIPAM", "plat import phpipam -f addresses.csv"],
        ["Import a Spiderpool cluster", "plat import spiderpool -f dump.json"],
        ["Import what whereabouts allocated", "plat import whereabouts -f dump.json"],
      ),
    )
    .addCommand(
      importing("calico", "Dump of `kubectl get` or `calicoctl datastore migrate export`")
        .description("Import a Calico cluster: pools, configuration, blocks and addresses")
        .addHelpText(
          "after",
          examples(
            ["Check what an import would do", "plat import calico -f dump.json --dry-run"],
            ["Import the cluster", "plat import calico -f dump.json"],
          ),
        )
        .action(action(io, importCalico)),
    )
    .addCommand(
      importing("csv", "Table with the columns address, handle, host and attributes")
        .description("Import addresses from a table")
        .addHelpText(
          "after",
          examples(
            ["Check what an import would do", "plat import csv -f addresses.csv --dry-run"],
            ["Import the addresses", "plat import csv -f addresses.csv"],
          ),
        )
        .action(action(io, importCsv)),
    )
    .addCommand(
      importing("netbox", "Answer of NetBox to GET /api/ipam/ip-addresses/?limit=0")
        .description("Import the addresses in use of a NetBox")
        .option("--vrf <name>", "Only the addresses of this VRF; by default those without a VRF")
        .addHelpText(
          "after",
          examples(
            ["Check what an import would do", "plat import netbox -f ip-addresses.json --dry-run"],
            [
              "Import a VRF into its space",
              "plat import netbox -f ip-addresses.json --vrf blue --space blue",
            ],
          ),
        )
        .action(action(io, importNetbox)),
    )
    .addCommand(
      importing("phpipam", "Table of addresses of phpIPAM, saved as CSV")
        .description("Import the addresses in use of a phpIPAM")
        .option("--vrf <name>", "Only the addresses of this VRF; by default those without a VRF")
        .addHelpText(
          "after",
          examples(
            ["Check what an import would do", "plat import phpipam -f addresses.csv --dry-run"],
            [
              "Import a VRF into its space",
              "plat import phpipam -f addresses.csv --vrf blue --space blue",
            ],
          ),
        )
        .action(action(io, importPhpipam)),
    )
    .addCommand(
      importing("spiderpool", "Dump of `kubectl get` of its pools, subnets and endpoints")
        .description("Import Spiderpool: pools, applications and the addresses of pods")
        .addHelpText(
          "after",
          examples(
            ["Check what an import would do", "plat import spiderpool -f dump.json --dry-run"],
            ["Import the cluster", "plat import spiderpool -f dump.json"],
          ),
        )
        .action(action(io, importSpiderpool)),
    )
    .addCommand(
      importing(
        "whereabouts",
        "Dump of `kubectl get` of its IPPools, its reservations and the pods",
      )
        .description("Import the addresses that whereabouts allocated and reserved")
        .option("--network <name>", "The network of plat-cni that releases the addresses later")
        .addHelpText(
          "after",
          examples(
            ["Check what an import would do", "plat import whereabouts -f dump.json --dry-run"],
            ["Import for plat-cni", "plat import whereabouts -f dump.json --network storage"],
          ),
        )
        .action(action(io, importWhereabouts)),
    )
    .addCommand(
      importing("host-local", "Folder of host-local, such as /var/lib/cni/networks/NETWORK")
        .description("Import the addresses that host-local gave on one node")
        .requiredOption("--host <host>", "The node of the folder")
        .option("--network <name>", "The network of plat-cni; by default the name of the folder")
        .addHelpText(
          "after",
          examples(
            [
              "Check what an import would do",
              "plat import host-local -f networks/podnet --host node-1 --dry-run",
            ],
            ["Import the addresses", "plat import host-local -f networks/podnet --host node-1"],
          ),
        )
        .action(action(io, importHostLocal)),
    );

const importing = (name: string, file: string): Command =>
  withConfirmation(
    printing(new Command(name)).requiredOption(
      "-f, --filename <file...>",
      `${file}; - reads stdin; repeatable`,
    ),
    "Show what would be done, and write nothing",
  );

/** Makes the work of an import. `read` returns what a source has, from the texts of its files by their names. */
const importFrom =
  <Options extends ImportOptions>(
    read: (
      client: Session["client"],
      texts: ReadonlyMap<string, string>,
      options: Options,
    ) => Desired | Promise<Desired>,
  ) =>
  async (session: Session, options: Options): Promise<void> => {
    const confirm = confirmation(session, options);
    const desired = await read(session.client, await textsOf(session, options), options);
    await importAll(session, desired, options, confirm);
  };

const importCalico = importFrom((_, texts) => desiredFrom(readDump(texts)));
const importCsv = importFrom(desiredFromCsv);
const importNetbox = importFrom(
  (client, texts, { vrf }: ImportOptions & { readonly vrf?: string }) =>
    desiredFromNetbox(client, texts, vrf),
);
const importPhpipam = importFrom(
  (client, texts, { vrf }: ImportOptions & { readonly vrf?: string }) =>
    desiredFromPhpipam(client, texts, vrf),
);
const importSpiderpool = importFrom((_, texts) => desiredFromSpiderpool(texts));
const importWhereabouts = importFrom(
  (client, texts, { network }: ImportOptions & { readonly network?: string }) =>
    desiredFromWhereabouts(client, texts, network),
);

async function importHostLocal(
  session: Session,
  {
    host,
    network,
    ...options
  }: ImportOptions & { readonly host: string; readonly network?: string },
): Promise<void> {
  const confirm = confirmation(session, options);
  const { io, client } = session;
  const desired = await desiredFromHostLocal(client, io, options.filename, { host, network });
  await importAll(session, desired, options, confirm);
}

async function importAll(
  session: Session,
  desired: Desired,
  { filename, dryRun }: ImportOptions,
  confirm: Confirm,
): Promise<void> {
  for (const note of desired.notes) session.io.err(`Note: ${note}\n`);
  if (importsNothing(desired))
    throw usageError(`${filename.join(" and ")} has no objects of a kind that Plat takes.`);
  await importCluster(session, desired, { dryRun, confirm });
}

async function textsOf(
  { io }: Session,
  { filename: files }: ImportOptions,
): Promise<ReadonlyMap<string, string>> {
  return new Map((await readInputs(io, files)).map(({ name, text }) => [name, text]));
}
