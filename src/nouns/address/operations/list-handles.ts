import { ALLOCATIONS_PER_LOOK, PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import { CorruptItemError, orCorrupt } from "../../../base/outcome.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import type { AllocationPlace } from "../../../kernel/values/allocation-place.ts";
import { type Block, takenUnder } from "../../../kernel/values/block.ts";
import { type Cidr, sameCidr } from "../../../net/cidr.ts";
import { type HoldersFound, type HoldersWanted, listHolders } from "./list-holders.ts";

/** A handle that has addresses. */
export interface HandleFound {
  readonly name: string;
}

/**
 * Returns a page of the handles that begin with a text and have addresses, strongly consistent. A handle comes in the block of its
 * first allocation that visibly holds something.
 */
export const listHandles = (
  context: Context,
  wanted: HoldersWanted & { readonly prefix: string },
): Promise<HoldersFound<HandleFound>> =>
  listHolders(context, wanted, async (block, owners) => {
    const handles = new Map(owners.map(({ allocation }) => [allocation.handle, allocation.place]));
    const named = [...handles].filter(([handle]) => handle.startsWith(wanted.prefix));
    const found = await inParallel(named, PAGE_READS_AT_ONCE, async ([name, place]) => {
      const at = await firstBlockOf(context, place, name, block);
      return at && sameCidr(at, block.cidr) ? [{ name }] : [];
    });
    return found.flat();
  });

/** Returns the block of the first part that visibly holds something, in the order of the allocations of a handle. */
async function firstBlockOf(
  { store }: Context,
  { space, handleHash }: AllocationPlace,
  handle: string,
  known: Block,
): Promise<Cidr | undefined> {
  let after: Parameters<typeof store.listAllocationPage>[2]["after"];
  do {
    const { items, next } = await store.listAllocationPage(space, handleHash, {
      limit: ALLOCATIONS_PER_LOOK,
      after,
    });
    for (const allocation of items) {
      // Handles whose hashes collide share a partition.
      if (allocation.handle !== handle) continue;
      for (const part of allocation.parts) {
        const isKnown = sameCidr(part.block, known.cidr);
        const block = isKnown ? known : await orCorrupt(store.readBlock(space, part.block));
        // An unreadable block has no handle in the list, so the handle comes at another one.
        if (block instanceof CorruptItemError) continue;
        if (takenUnder(block, part.token).length > 0) return part.block;
      }
    }
    after = next;
  } while (after);
  return undefined;
}
