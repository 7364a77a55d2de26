import { handleHash } from "../../base/hash.ts";
import { ALLOCATIONS_PER_LOOK } from "../../base/limits.ts";
import type { Context } from "../core/context.ts";
import { type Allocation, isKeptForKey, isOver } from "../values/allocation.ts";
import { type AllocationPlace, compareAllocationPlaces } from "../values/allocation-place.ts";
import { freshAllocationId } from "../values/fresh.ts";
import { BoundedRelease, type Released } from "./bounded-release.ts";

/**
 * Ended allocations that a release by handle keeps until all others are ended: with the most attributes they take 128
 * MB.
 */
export const ALLOCATIONS_OVER_MAX = 1_024;

/**
 * Releases every address that a handle has now, as far as the time of one request allows; a repeat continues. It first
 * ends allocations that hold something, or may. Then it finishes ended ones that still name parts, which lose them.
 * It skips finished ones, so that a repeat reaches what is left.
 *
 * @param isMeant returns false for an allocation that stays
 */
export async function releaseHandle(
  context: Context,
  space: string,
  handle: string,
  isMeant: (allocation: Allocation) => boolean = () => true,
): Promise<Released> {
  const release = new BoundedRelease(context);
  const over: Allocation[] = [];
  for await (const { allocations, isLong } of looks(context, release, space, handle)) {
    // Handles whose hashes collide share a partition.
    const left = allocations.filter(
      (allocation) =>
        allocation.handle === handle && !isKeptForKey(allocation) && isMeant(allocation),
    );
    for (const allocation of left.filter(isOver)) {
      // Its owners are not needed any more, and may be most of its size.
      if (over.length < ALLOCATIONS_OVER_MAX) over.push({ ...allocation, owners: new Map() });
      else release.putOff();
    }
    await release.end(
      left.filter((allocation) => !isOver(allocation)),
      { settles: isLong },
    );
  }
  await release.end(over, { settles: true });
  return release.answer();
}

interface Look {
  readonly allocations: readonly Allocation[];
  /** True if one read does not return all allocations. */
  readonly isLong: boolean;
}

/**
 * Yields the allocations of a handle's partition, some at a time, while there is time. If one read does not return them
 * all, it continues at random and wraps around. So it reaches every one, even if more are kept than a request can read.
 */
async function* looks(
  context: Context,
  release: BoundedRelease,
  space: string,
  handle: string,
): AsyncGenerator<Look> {
  const { store, random, now } = context;
  const hash = handleHash(handle);
  const lookAfter = async (after?: AllocationPlace) => {
    const page = await release.trying(() =>
      store.listAllocationPage(space, hash, { after, limit: ALLOCATIONS_PER_LOOK }),
    );
    for (const unreadable of page?.unreadable ?? []) release.leave(unreadable);
    return { allocations: page?.items ?? [], next: page?.next };
  };
  const first = await lookAfter();
  yield { allocations: first.allocations, isLong: first.next !== undefined };
  if (!first.next) return;
  const id = freshAllocationId(now(), random);
  const drawn: AllocationPlace = { space, handleHash: hash, id, keyed: random.fraction() < 0.5 };
  const isAhead = compareAllocationPlaces(drawn, first.next) > 0;
  for (const [after, until] of isAhead ? [[drawn], [first.next, drawn]] : [[first.next]])
    for (let next = after; next && release.mayBegin(); ) {
      const page = await lookAfter(next);
      const isWithin = (place: AllocationPlace) =>
        !until || compareAllocationPlaces(place, until) <= 0;
      yield { allocations: page.allocations.filter(({ place }) => isWithin(place)), isLong: true };
      next = page.next && isWithin(page.next) ? page.next : undefined;
    }
}
