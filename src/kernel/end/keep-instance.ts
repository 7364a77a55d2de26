import { mayKeep } from "../../nouns/application/application.ts";
import { untilKnown } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import type { Allocation } from "../values/allocation.ts";
import type { AllocationPlace } from "../values/allocation-place.ts";
import { fresh } from "../values/fresh.ts";
import { endInstance } from "./end.ts";

/** The result of a keep, and the allocation after it. */
export interface Kept {
  /** False if the instance has other addresses by now, or none. */
  readonly isKept: boolean;
  /** Absent if the instance has no allocation. */
  readonly allocation: Allocation | undefined;
}

/**
 * Keeps the addresses of an instance for its next incarnation (I14). The slots stay as they are. A repeat changes nothing, and neither does a
 * keep that is late: a later incarnation has another incarnation, and a release that came first is final. `endWithoutNext` comes after it.
 */
export async function keepInstance(
  context: Context,
  place: AllocationPlace,
  incarnation: string,
): Promise<Kept> {
  const { outcome, item } = await untilKnown("the addresses were kept", () =>
    context.store.keepAllocation(place, {
      incarnation,
      revision: fresh(context),
      atMs: context.now(),
    }),
  );
  const wasKept = item?.state === "kept" && item.workload?.incarnation === incarnation;
  return { isKept: outcome === "done" || wasKept, allocation: item };
}

/**
 * Ends the allocation of an instance that is kept and has no next incarnation: its application is registered, and has no replica for it,
 * or is being deleted. It reads the application after the keep. A change of the application writes the item before it reads the allocations, so one of
 * the two sees the other.
 *
 * @param freed receives the addresses that this call frees, as text, also if it fails later
 * @returns true if the allocation is ended
 */
export async function endWithoutNext(
  context: Context,
  kept: Allocation,
  freed: string[],
): Promise<boolean> {
  const { place, workload } = kept;
  if (!workload) return false;
  const application = await context.store.readApplication(place.space, workload);
  return !mayKeep(application, workload) && endInstance(context, kept, freed);
}
