import type { Allocation } from "../../domain/allocation.ts";
import { nodeHandle } from "../../domain/handle.ts";
import { handleHash } from "../../domain/hash.ts";
import { ALLOCATIONS_PER_LOOK } from "../../domain/limits.ts";
import type { Context } from "../core/context.ts";

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
