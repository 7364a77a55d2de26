import { CLOCK_SKEW_MS_MAX } from "../../base/limits.ts";
import type { OwnedAddress } from "../space/contents.ts";
import { coversPods, FIRST_INTERFACE, type Inventory, type SeenPod } from "./inventory.ts";

/**
 * Judges whether an owner is gone, by the rules of Calico's repair run (kube-controllers, IPAM GC) on an inventory. An
 * object that the inventory does not cover never counts as gone. An address with attributes that Plat does not know is
 * not judged.
 */

/** The reason why an address counts as leaked. */
export type LeakReason =
  | "pod_not_found"
  | "pod_on_another_node"
  | "pod_finished"
  | "pod_has_other_addresses"
  | "node_gone";

export type Judgement =
  | { readonly verdict: "gone"; readonly reason: LeakReason }
  | { readonly verdict: "used"; readonly reason: "in_use" | "no_address_yet" }
  | {
      readonly verdict: "unjudged";
      readonly reason:
        | "assigned_later"
        | "not_covered"
        | "no_pod_named"
        | "interface_not_listed"
        | "virtual_machine"
        | "node_has_others"
        | "sibling_stays";
    };

export type Judged = OwnedAddress & { readonly judgement: Judgement };

type Attributes = Readonly<Record<string, string>>;

/** The names of tunnels, as Calico writes them. */
const TUNNELS: ReadonlySet<string | undefined> = new Set([
  "ipipTunnelAddress",
  "vxlanTunnelAddress",
  "vxlanV6TunnelAddress",
  "wireguardTunnelAddress",
  "wireguardV6TunnelAddress",
]);
const OF_VIRTUAL_MACHINES = ["vmi-name", "vmi-uid", "vm-uid", "vmim-uid"];

const gone = (reason: LeakReason): Judgement => ({ verdict: "gone", reason });
const unjudged = (reason: (Judgement & { verdict: "unjudged" })["reason"]): Judgement => ({
  verdict: "unjudged",
  reason,
});

/** Judges the addresses of a space. */
export function judge(assigned: readonly OwnedAddress[], inventory: Inventory): readonly Judged[] {
  const judged = assigned.map((one) => ({ ...one, judgement: judgementOf(one, inventory) }));
  return withSiblings(withTunnels(judged));
}

/** Judges an address alone, by all its known owners. One existing owner is enough to keep it. */
function judgementOf(one: OwnedAddress, inventory: Inventory): Judgement {
  const owners = [one.owner.active, one.owner.alternate].filter((owner) => owner !== undefined);
  // An address in use stays, whatever its attributes are.
  if (inventory.inUse.has(one.address)) return { verdict: "used", reason: "in_use" };
  if (one.assignedAtMs + CLOCK_SKEW_MS_MAX >= inventory.takenAtMs)
    return unjudged("assigned_later");
  const judgements = owners.map((owner) => ofOwner(owner, one, inventory));
  return (
    judgements.find(({ verdict }) => verdict === "used") ??
    judgements.find(({ verdict }) => verdict === "unjudged") ??
    judgements[0] ??
    unjudged("no_pod_named")
  );
}

function ofOwner(owner: Attributes, one: OwnedAddress, inventory: Inventory): Judgement {
  if (OF_VIRTUAL_MACHINES.some((name) => name in owner)) return unjudged("virtual_machine");
  const node = nodeOf(owner, one);
  if (TUNNELS.has(owner.type)) return ofTunnel(node, inventory);
  const { namespace, pod } = owner;
  if (namespace === undefined || pod === undefined) return unjudged("no_pod_named");
  const seen = inventory.pods.get(`${namespace}/${pod}`) ?? [];
  if (seen.some((sighting) => mayStillGetIt(sighting, node)))
    return { verdict: "used", reason: "no_address_yet" };
  const interfaceName = interfaceOf(owner, one);
  if (seen.some((sighting) => mayHaveItUnlisted(sighting, interfaceName)))
    return unjudged("interface_not_listed");
  if (isNodeGone(node, inventory)) return gone("node_gone");
  if (!coversPods(inventory.covers, namespace)) return unjudged("not_covered");
  return gone(reasonOf(seen.at(-1), node));
}

/** Judges a tunnel address by its node; other addresses on the node are checked after all are judged. */
function ofTunnel(node: string | undefined, { covers, nodes }: Inventory): Judgement {
  if (!covers.nodes || node === undefined) return unjudged("not_covered");
  return nodes.has(node) ? { verdict: "used", reason: "in_use" } : gone("node_gone");
}

/** Returns true for a pod without an address, which may be about to get this one. */
const mayStillGetIt = ({ finished, addresses, node }: SeenPod, at: string | undefined): boolean =>
  !finished && addresses.length === 0 && !isElsewhere(node, at);

/**
 * Returns the interface that an address is for. An owner that names neither an interface nor a network is one that Calico
 * writes, for the first interface. With a network alone it can be any interface, so nothing is returned.
 */
const interfaceOf = (owner: Attributes, one: OwnedAddress): string | undefined =>
  owner.ifName ?? one.interface ?? (owner.network === undefined ? FIRST_INTERFACE : undefined);

/** Returns true for a pod that may have an address on an interface which the inventory does not list. */
const mayHaveItUnlisted = ({ finished, interfaces }: SeenPod, name: string | undefined): boolean =>
  !finished && (name === undefined || !interfaces.has(name));

function reasonOf(seen: SeenPod | undefined, node: string | undefined): LeakReason {
  if (!seen) return "pod_not_found";
  if (seen.finished) return "pod_finished";
  return isElsewhere(seen.node, node) ? "pod_on_another_node" : "pod_has_other_addresses";
}

const isElsewhere = (seen: string | undefined, node: string | undefined): boolean =>
  seen !== undefined && node !== undefined && seen !== node;

/** Returns the node of an address: as its owner names it, else the host of the assignment, if that is a machine. */
const nodeOf = (owner: Attributes, { affinityType, host }: OwnedAddress): string | undefined =>
  owner.node ?? (affinityType === "host" ? host : undefined);

const isNodeGone = (node: string | undefined, { covers, nodes }: Inventory): boolean =>
  covers.nodes && node !== undefined && !nodes.has(node);

/** Keeps a tunnel's address while its node has any other address, because others may still need to find the node. */
function withTunnels(judged: readonly Judged[]): readonly Judged[] {
  const busy = new Set(
    judged
      .filter((one) => !isTunnel(one))
      .flatMap((one) => [one.host, one.owner.active?.node, one.owner.alternate?.node]),
  );
  const isKept = (one: Judged) =>
    isTunnel(one) &&
    one.judgement.verdict === "gone" &&
    busy.has(nodeOf(one.owner.active ?? {}, one));
  return judged.map((one) =>
    isKept(one) ? { ...one, judgement: unjudged("node_has_others") } : one,
  );
}

const isTunnel = ({ owner }: OwnedAddress): boolean => TUNNELS.has(owner.active?.type);

/** Keeps all addresses of a handle that asks for it if one of them stays. */
function withSiblings(judged: readonly Judged[]): readonly Judged[] {
  const asking = new Set(judged.filter(({ together }) => together).map(({ handle }) => handle));
  const staying = new Set(
    judged.filter(({ judgement }) => judgement.verdict !== "gone").map(({ handle }) => handle),
  );
  return judged.map((one) => {
    if (!asking.has(one.handle)) return one;
    const keep = one.judgement.verdict === "gone" && staying.has(one.handle);
    return { ...one, together: true, ...(keep && { judgement: unjudged("sibling_stays") }) };
  });
}
