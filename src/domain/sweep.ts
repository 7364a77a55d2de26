import type { Due } from "./allocation.ts";
import { SWEEP_ITEMS_PER_RUN_MIN, SWEEP_MS } from "./limits.ts";

/** The position of the repair run in a shard. Losing it only repeats work. */
export interface Progress {
  /** The last allocation looked at of those that are due, where the time of a run was over before all of them were. */
  readonly due?: Due;
  /** The walk over the shard's segment of the table that is under way. */
  readonly sweep?: Sweep;
  /** The number of items of the last complete walk over the segment. */
  readonly itemsBefore?: number;
}

/** A walk over a segment of the table. */
export interface Sweep {
  readonly beganAtMs: number;
  /** Items gone through. */
  readonly items: number;
  /** The last of them; absent before the first. Opaque. */
  readonly position?: string;
}

/**
 * Returns how many items a run goes through, so that the segment comes by in a day; all that it has time for where nobody
 * knows how many there are, or where the walk is late.
 */
export function itemsToSweep({ sweep, itemsBefore }: Progress, nowMs: number): number {
  if (itemsBefore === undefined) return Number.POSITIVE_INFINITY;
  const elapsedMs = sweep === undefined ? 0 : nowMs - sweep.beganAtMs;
  if (elapsedMs >= SWEEP_MS) return Number.POSITIVE_INFINITY;
  const aim = Math.ceil((itemsBefore * elapsedMs) / SWEEP_MS);
  return Math.max(SWEEP_ITEMS_PER_RUN_MIN, aim - (sweep?.items ?? 0));
}
