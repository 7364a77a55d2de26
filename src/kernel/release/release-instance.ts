import { formatAddress } from "../../net/address.ts";
import { addressAt } from "../../net/cidr.ts";
import { isKeptKind, type Workload } from "../../nouns/application/workload.ts";
import { holdingsOf } from "../allocations/holding.ts";
import { answer, compareAndSwap, RETRY } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { awaitAll } from "../core/parallel.ts";
import { endInstance } from "../end/end.ts";
import { endWithoutNext, keepInstance } from "../end/keep-instance.ts";
import { type Allocation, isHolding, isOver } from "../values/allocation.ts";
import type { AllocationPlace } from "../values/allocation-place.ts";

/** The instance that a release names, and where its allocation is. */
export interface NamedInstance {
  readonly place: AllocationPlace;
  readonly workload: Workload;
  /** True if a kind that keeps its addresses keeps them for the next incarnation of the instance. */
  readonly keep: boolean;
}

/** The result of a release of an instance. Both lists are empty if another incarnation of it has the addresses, or none. */
export interface InstanceReleased {
  /** The addresses that this call freed, as text. */
  readonly released: readonly string[];
  /** The addresses that wait for the next incarnation, as text. */
  readonly kept: readonly string[];
}

/**
 * Releases what one incarnation of an instance has, or keeps it for the next. Another incarnation's addresses stay as they are: a release that is
 * late changes nothing (I5).
 *
 * @throws {ContentionError} if other callers change the allocation every time
 */
export async function releaseInstance(
  context: Context,
  { place, workload, keep }: NamedInstance,
): Promise<InstanceReleased> {
  const released: string[] = [];
  return compareAndSwap("the allocation of this instance", async () => {
    const seen = await context.store.readAllocation(place);
    // The allocation may exist under keys that this version does not know.
    if (!seen) await context.store.checkKeys();
    if (seen?.workload?.uid !== workload.uid) return answer({ released, kept: [] });
    if (keep && isKeepable(seen)) {
      const kept = await keptOf(context, seen, released);
      return kept ? answer({ released, kept }) : RETRY;
    }
    return (await endInstance(context, seen, released)) ? answer({ released, kept: [] }) : RETRY;
  });
}

/** Returns true if the instance keeps its addresses until its next incarnation, unless a release is final. */
export const isKeepable = (allocation: Allocation): boolean =>
  allocation.workload !== undefined &&
  isKeptKind(allocation.workload) &&
  isHolding(allocation) &&
  !isOver(allocation);

/**
 * Keeps what an instance has, or ends its allocation if the instance has no next incarnation.
 *
 * @param freed receives the addresses that this call frees, as text, also if it fails later
 * @returns its addresses, none if it is ended; nothing if its allocation has changed since it was seen
 */
export async function keptOf(
  context: Context,
  seen: Allocation,
  freed: string[],
): Promise<readonly string[] | undefined> {
  const { workload, place } = seen;
  if (!workload) return undefined;
  const { isKept, allocation } = await keepInstance(context, place, workload.incarnation);
  if (!isKept || !allocation) return undefined;
  const [isEnded, held] = await awaitAll(
    endWithoutNext(context, allocation, freed),
    holdingsOf(context, allocation),
  );
  if (isEnded) return [];
  return held.flatMap(({ block, ordinals }) =>
    ordinals.map((ordinal) => formatAddress(addressAt(block.cidr, ordinal))),
  );
}
