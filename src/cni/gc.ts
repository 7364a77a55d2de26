import { addressesOfHost, type HeldAddress } from "../cli/space/handles.ts";
import { releaseAddresses } from "../cli/space/releases.ts";
import type { PlatClient } from "../client/index.ts";
import {
  type AttachmentNamed,
  attachmentOf,
  textOfAttachment,
} from "../nouns/address/attachment.ts";
import { CniError, CODE } from "./error.ts";
import type { NetworkConfiguration } from "./network.ts";

/**
 * Releases the addresses on this host that no valid attachment of the network has. It names each by its generation, so
 * that it frees only what it has read. @throws {CniError} if the runtime names no list of attachments
 */
export async function gc(
  client: PlatClient,
  network: NetworkConfiguration,
  host: string,
): Promise<void> {
  const { validAttachments } = network;
  if (validAttachments === undefined)
    throw new CniError(
      CODE.invalidConfiguration,
      'The network configuration lacks "cni.dev/valid-attachments".',
      "GC needs CNI 1.1. Nothing was released.",
    );
  const valid = new Set(
    validAttachments.map(({ containerID, ifname }) =>
      textOfAttachment({ containerId: containerID, ifName: ifname }),
    ),
  );
  await releaseHeld(client, network, host, (one) => !valid.has(textOfAttachment(one)));
}

/**
 * Releases what some attachments of a network have on a host, by what Plat says of the addresses there.
 *
 * @param isEnded returns true for an attachment that is over
 * @param containerId the only container, if there is one
 */
export async function releaseHeld(
  client: PlatClient,
  network: NetworkConfiguration,
  host: string,
  isEnded: (attachment: AttachmentNamed) => boolean,
  containerId?: string,
): Promise<void> {
  const { items: addresses } = await addressesOfHost(client, host);
  const named = addresses.filter(({ handle = "" }) => {
    const attachment = attachmentOf(handle, network.name, host);
    return attachment !== undefined && isEnded(attachment);
  });
  await release(client, named, false);
  // The uid of an instance is its container.
  const instances = addresses.filter(
    ({ workload }) => workload && workload.uid === (containerId ?? workload.uid),
  );
  const ended = endedInstances(network, instances, isEnded);
  // Plat keeps those alone whose kind keeps any.
  await release(client, ended, network.ipam.keep);
}

/** An address that changed hands in the meantime is a `conflict`, and stays. */
async function release(
  client: PlatClient,
  held: readonly HeldAddress[],
  keep: boolean,
): Promise<void> {
  const entries = held.map(({ address, generation }) => ({ address, generation }));
  for await (const _ of releaseAddresses(client, entries, keep));
}

/** Returns the addresses of instances that attachments of a network have and that are over. Only their attributes say which. */
const endedInstances = (
  network: NetworkConfiguration,
  instances: readonly HeldAddress[],
  isEnded: (attachment: AttachmentNamed) => boolean,
): readonly HeldAddress[] =>
  instances.filter(({ attributes = {}, workload }) => {
    const { network: name, containerId, ifName } = attributes;
    // An incarnation of another caller has no such attributes, or another uid.
    const isOurs = name === network.name && containerId === workload?.uid;
    if (!isOurs || containerId === undefined || ifName === undefined) return false;
    return isEnded({ containerId, ifName });
  });
