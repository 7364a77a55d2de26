import type { OwnedAddress } from "../cli/api/handles.ts";
import type { Holdings } from "../cli/api/holdings.ts";
import { attachmentOf, textOf } from "./attachment.ts";
import type { Network } from "./network.ts";

type Held = Holdings["addresses"][number];

/** The addresses of a host, and the attachments of a network that are in use there. */
export interface Inventory {
  readonly network: Pick<Network, "name">;
  readonly host: string;
  readonly held: readonly Held[];
  /** The attachments in use, as texts. */
  readonly valid: ReadonlySet<string>;
}

/** Returns the addresses of attachments of this network and host that are not in use. */
export const stale = ({ network, host, held, valid }: Inventory): readonly Held[] =>
  held.filter(({ handle = "" }) => {
    const attachment = attachmentOf(handle, network.name, host);
    return attachment !== undefined && !valid.has(textOf(attachment));
  });

/** Returns the addresses of instances, which may be of another network: only their attributes say. */
export const ofInstances = ({ held }: Inventory): readonly Held[] =>
  held.filter(({ workload }) => workload !== undefined);

/** Returns the addresses of instances that an attachment of this network has, and that is not in use. */
export const staleInstances = (
  inventory: Inventory,
  owners: ReadonlyMap<string, OwnedAddress>,
): readonly Held[] =>
  ofInstances(inventory).filter(({ address, workload }) => {
    const { network, containerId, ifName } = owners.get(address)?.attributes ?? {};
    // An incarnation of another caller has no such attributes, or another uid.
    const isOurs = network === inventory.network.name && containerId === workload?.uid;
    if (!isOurs || containerId === undefined || ifName === undefined) return false;
    return !inventory.valid.has(textOf({ containerId, ifName }));
  });
