import type { Allocation } from "../../domain/allocation.ts";
import type { AllocationPlace } from "../../domain/allocation-place.ts";
import { untilKnown } from "../core/compare-and-swap.ts";
import { type Context, fresh } from "../core/context.ts";

/** The result of a keep: the allocation after it, and whether it waits for the next incarnation of the instance. */
export interface Kept {
  readonly isKept: boolean;
  /** Absent if the instance has no allocation. */
  readonly allocation: Allocation | undefined;
}

/**
 * Keeps the addresses of an instance for its next incarnation (I14). The slots stay as they are. A repeat changes nothing, and neither does a
 * keep that is late: a later incarnation has another incarnation, and a release that came first is final.
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
