import { handleHash } from "../../../base/hash.ts";
import { ALLOCATIONS_PER_LOOK } from "../../../base/limits.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import { nodeHandle } from "../../../kernel/values/handle.ts";

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
