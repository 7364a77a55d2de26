import { type Holdings, readHoldings } from "../cli/api/blocks.ts";
import { type OwnedAddress, readOwners } from "../cli/api/handles.ts";
import { releaseAddresses } from "../cli/api/releases.ts";
import type { PlatClient } from "../client/index.ts";
import { attachmentOf, textOfAttachment } from "../nouns/address/attachment.ts";
import { CniError, CODE } from "./error.ts";
import type { Network } from "./network.ts";

/**
 * Releases the addresses on this host that no valid attachment of the network has. It names each by its generation, so
 * that it frees only what it has read. @throws {CniError} if the runtime names no list of attachments
 */
export async function gc(client: PlatClient, network: Network, host: string): Promise<void> {
  const { validAttachments } = network;
  if (validAttachments === undefined)
    throw new CniError(
      CODE.invalidConfiguration,
      'The network configuration lacks "cni.dev/valid-attachments".',
      "GC needs CNI 1.1. Nothing was released.",
    );
  const inventory: Inventory = {
    network,
    host,
    held: (await readHoldings(client, { host })).addresses,
    valid: new Set(
      validAttachments.map(({ containerID, ifname }) =>
        textOfAttachment({ containerId: containerID, ifName: ifname }),
      ),
    ),
  };
  const owners = await readOwners(client, ofInstances(inventory));
  const { keep } = network.ipam;
  await releaseAll(client, stale(inventory), false);
  await releaseAll(client, staleInstances(inventory, owners), keep);
}

/** An address that changed hands in the meantime is a `conflict`, and stays. */
async function releaseAll(
  client: PlatClient,
  held: Inventory["held"],
  keep: boolean,
): Promise<void> {
  const entries = held.map(({ address, generation }) => ({ address, generation }));
  for await (const _ of releaseAddresses(client, entries, keep));
}

type Held = Holdings["addresses"][number];

/** The addresses of a host, and the attachments of a network that are in use there. */
interface Inventory {
  readonly network: Pick<Network, "name">;
  readonly host: string;
  readonly held: readonly Held[];
  /** The attachments in use, as texts. */
  readonly valid: ReadonlySet<string>;
}

/** Returns the addresses of attachments of this network and host that are not in use. */
const stale = ({ network, host, held, valid }: Inventory): readonly Held[] =>
  held.filter(({ handle = "" }) => {
    const attachment = attachmentOf(handle, network.name, host);
    return attachment !== undefined && !valid.has(textOfAttachment(attachment));
  });

/** Returns the addresses of instances, which may be of another network: only their attributes say. */
const ofInstances = ({ held }: Inventory): readonly Held[] =>
  held.filter(({ workload }) => workload !== undefined);

/** Returns the addresses of instances that an attachment of this network has, and that is not in use. */
const staleInstances = (
  inventory: Inventory,
  owners: ReadonlyMap<string, OwnedAddress>,
): readonly Held[] =>
  ofInstances(inventory).filter(({ address, workload }) => {
    const { network, containerId, ifName } = owners.get(address)?.attributes ?? {};
    // An incarnation of another caller has no such attributes, or another uid.
    const isOurs = network === inventory.network.name && containerId === workload?.uid;
    if (!isOurs || containerId === undefined || ifName === undefined) return false;
    return !inventory.valid.has(textOfAttachment({ containerId, ifName }));
  });
