import { handleHash } from "../../../base/hash.ts";
import { ALLOCATIONS_PER_LOOK, PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import { allocationsOfSlots } from "../../../kernel/allocations/allocation-of-slot.ts";
import { holdingsOf } from "../../../kernel/allocations/holding.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import { nodeHandle, nodeOfHandle } from "../../../kernel/values/handle.ts";
import { hostId } from "../../../kernel/values/host.ts";
import type { Cidr } from "../../../net/cidr.ts";
import type { NodePrefix } from "../../node/prefixes.ts";
import { prefixesOf } from "./node-prefix.ts";

/** A prefix of a node, and the incarnation that has it. */
export interface ListedPrefix extends NodePrefix {
  readonly uid: string;
}

/** Returns the prefixes of a node in the order of its families and incarnations, strongly consistent: those of one uid, or of all. */
export async function listPrefixes(
  context: Context,
  wanted: { readonly space: string; readonly node: string; readonly uid?: string | undefined },
): Promise<readonly ListedPrefix[]> {
  const { uid } = wanted;
  const allocations =
    uid === undefined
      ? await allocationsOnHost(context, wanted, await blocksOnHost(context, wanted))
      : await allocationsOfNode(context, { ...wanted, uid });
  const live = allocations.filter(({ state }) => state === "live");
  const listed = await inParallel(live, PAGE_READS_AT_ONCE, async (allocation) => {
    const of = nodeOfHandle(allocation.handle);
    const held = await holdingsOf(context, allocation);
    return of ? prefixesOf({ allocation, held }).map((prefix) => ({ ...prefix, uid: of.uid })) : [];
  });
  return listed
    .flat()
    .toSorted((a, b) => a.cidr.family - b.cidr.family || (a.uid < b.uid ? -1 : 1));
}

/** Reads the allocations of one incarnation of a node. It has one for each request that took prefixes, two at most at rest. */
export async function allocationsOfNode(
  { store }: Context,
  { space, node, uid }: { readonly space: string; readonly node: string; readonly uid: string },
): Promise<readonly Allocation[]> {
  const handle = nodeHandle(node, uid);
  const listed = await store.listAllocations(space, handleHash(handle), {
    limit: ALLOCATIONS_PER_LOOK,
  });
  // The allocations may exist under keys that this version does not know.
  if (listed.length === 0) await store.checkKeys();
  // Handles whose hashes collide share a partition.
  return listed.filter((allocation) => allocation.handle === handle);
}

interface OfHost {
  readonly space: string;
  readonly node: string;
}

/** Returns the blocks in which a host has something without owning them. All prefixes that it has are among them (I11). */
export async function blocksOnHost(
  { store }: Context,
  { space, node }: OfHost,
): Promise<readonly Cidr[]> {
  const borrowed = await store.listBorrowedBlocks(space, hostId("host", node));
  const [unreadable] = borrowed.unreadable;
  if (unreadable) throw unreadable;
  // The entries may exist under keys that this version does not know.
  if (borrowed.items.length === 0) await store.checkKeys();
  return borrowed.items.map(({ block }) => block);
}

/** Returns the allocations of those blocks that are prefixes of the host. */
export async function allocationsOnHost(
  context: Context,
  { space, node }: OfHost,
  cidrs: readonly Cidr[],
): Promise<readonly Allocation[]> {
  const { store } = context;
  const blocks = await inParallel(cidrs, PAGE_READS_AT_ONCE, (cidr) =>
    store.readBlock(space, cidr),
  );
  const slots = blocks.flatMap((block) => (block?.whole ? [...block.slots.values()] : []));
  const owners = await allocationsOfSlots(context, space, slots);
  const allocations = [...owners.values()].map(({ allocation }) => allocation);
  const host = hostId("host", node);
  return [...new Set(allocations)].filter((allocation) => allocation.host === host);
}
