import { ADDRESSES_PER_PAGE_MAX, PAGE_READS_AT_ONCE } from "../../base/limits.ts";
import { type Answer, found, isPathPart, type PlatClient } from "../../client/index.ts";
import {
  ciliumNodeOfHandle,
  handleOfPrefixes,
  isOfNode,
  nodeOfHandle,
} from "../../kernel/values/handle.ts";
import type { AffinityType } from "../../kernel/values/host.ts";
import { compareAddresses, parseAddress } from "../../net/address.ts";
import { atOnce } from "./at-once.ts";
import { type KnownList, knownIn } from "./lists.ts";

/** An address with its owners and attributes. */
export type HeldAddress = Answer<"readHandle">["addresses"][number];

/** Reads all addresses of a handle. Errors: it has none. */
export async function addressesOfHandle(
  client: PlatClient,
  handle: string,
): Promise<readonly HeldAddress[]> {
  const pages = client.pages.readHandle({ handle, limit: ADDRESSES_PER_PAGE_MAX });
  return (await knownIn(pages, ({ addresses }) => addresses)).items;
}

/** Reads the names of the addresses of a handle, also of an older one that no path can contain; none if it has none. */
export async function namesOfHandle(
  client: PlatClient,
  handle: string,
): Promise<readonly string[]> {
  if (isPathPart(handle)) {
    const held = await found(addressesOfHandle(client, handle));
    return (held ?? []).map(({ address }) => address);
  }
  const pages = client.pages.listAddresses({ handle, limit: ADDRESSES_PER_PAGE_MAX });
  const { items } = await knownIn(pages, ({ addresses }) => addresses);
  // The list also has addresses that the handle has released, or reported as a conflict.
  const own = items.filter(({ state }) => state === "assigned" || state === "kept");
  return own.map(({ address }) => address);
}

/**
 * Reads the assigned addresses of a machine, or of a virtual host, in its own blocks and in borrowed ones, as a release of it finds
 * them. It leaves out its prefixes, and the addresses of its CiliumNode: these have routes of their own.
 */
export async function addressesOfHost(
  client: PlatClient,
  host: string,
  affinityType: AffinityType = "host",
): Promise<KnownList<HeldAddress>> {
  const named = { host, affinityType, state: "assigned" } as const;
  const { items, unreadable } = await knownIn(
    client.pages.listAddresses({ ...named, limit: ADDRESSES_PER_PAGE_MAX }),
    ({ addresses }) => addresses,
  );
  const isMeant = ({ prefix, handle = "" }: HeldAddress) =>
    prefix === undefined && !isOfNode(handle);
  return { items: items.filter(isMeant), unreadable };
}

/**
 * Returns the words of the command that releases what a handle of a node, or of prefixes, has; nothing for a handle of
 * addresses.
 *
 * @param prefix the only prefix to release, if the command can name one
 */
export function releaseWords(handle: string, prefix?: string): readonly string[] | undefined {
  const only = prefix === undefined ? [] : ["--cidr", prefix];
  const cilium = ciliumNodeOfHandle(handle);
  if (cilium) return ["node", "cilium", "release", cilium.node, "--uid", cilium.uid];
  const node = nodeOfHandle(handle);
  if (node) return ["node", "cidr", "release", node.node, "--uid", node.uid, ...only];
  const named = handleOfPrefixes(handle);
  return named === undefined ? undefined : ["prefix", "release", named, ...only];
}

/** Compares by address, for a sort of what the API returns assignment by assignment. */
export function byAddress(
  a: { readonly address: string },
  b: { readonly address: string },
): number {
  const [first, second] = [parseAddress(a.address), parseAddress(b.address)];
  return first.ok && second.ok ? compareAddresses(first.value, second.value) : 0;
}

/** An assignment in a block, which names the handle. The handle has the other properties. */
interface NamedAssignment {
  readonly address: string;
  readonly handle?: string | undefined;
}

/**
 * Reads the owners of assignments, by address. It reads each handle once, some in parallel. It leaves out an address
 * that its handle no longer has, or whose handle no path can contain.
 */
export async function readOwners(
  client: PlatClient,
  assignments: Iterable<NamedAssignment>,
  each: () => void = () => {},
): Promise<ReadonlyMap<string, HeldAddress>> {
  const named = [...assignments];
  const handles = new Set(named.flatMap(({ handle }) => (handle === undefined ? [] : [handle])));
  const read = await atOnce([...handles], PAGE_READS_AT_ONCE, async (handle) => {
    const addresses = isPathPart(handle) ? await found(addressesOfHandle(client, handle)) : [];
    each();
    return addresses ?? [];
  });
  const wanted = new Set(named.map(({ address }) => address));
  return new Map(
    read.flat().flatMap((owned) => (wanted.has(owned.address) ? [[owned.address, owned]] : [])),
  );
}
