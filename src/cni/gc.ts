import { readOwners } from "../cli/api/handles.ts";
import { readHoldings } from "../cli/api/holdings.ts";
import { releaseAddresses } from "../cli/api/releases.ts";
import type { PlatClient } from "../client/index.ts";
import { textOf } from "./attachment.ts";
import { CniError, CODE } from "./error.ts";
import type { Network } from "./network.ts";
import { type Inventory, ofInstances, stale, staleInstances } from "./stale.ts";

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
        textOf({ containerId: containerID, ifName: ifname }),
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
