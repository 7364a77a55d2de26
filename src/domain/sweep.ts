import type { Due } from "./allocation.ts";
import { CHARGING_WALK_MS, INDEX_SETTLE_MS, SWEEP_ITEMS_PER_RUN_MIN, SWEEP_MS } from "./limits.ts";

/** The position of the repair run in a shard. Losing it only repeats work. */
export interface Progress {
  /** The last due allocation that a run read, if its time ended before it had read all of them. */
  readonly due?: Due;
  /** The walk in progress over the shard's segment of the table. */
  readonly sweep?: Sweep;
  /** The number of items of the last complete walk over the segment. */
  readonly itemsBefore?: number;
  /** The beginning of a complete walk that charged the allocations of the segment to the current rounds of their budgets. */
  readonly chargedFromMs?: number;
  /** The beginning of the last walk that charged the segment but for what it could not read. */
  readonly unchargedFromMs?: number;
  /** The beginning of a complete walk that entered every allocation of the segment in the indexes of its space. */
  readonly indexedFromMs?: number;
  /** The beginning of the last walk that entered every allocation but those that it could not read. */
  readonly unindexedFromMs?: number;
  /** A time after an operator added an index. Its author writes it. */
  readonly indexAskedMs?: number;
}

/** The last complete walk of a shard that entered every allocation in the indexes of its space. */
export interface ShardWalk extends Pick<Progress, "indexedFromMs"> {
  readonly shard: number;
}

/** A walk over a segment of the table. */
export interface Sweep extends Left {
  readonly beganAtMs: number;
  /** Items that the walk has read. */
  readonly items: number;
  /** True if the walk also enters allocations that are in no index. */
  readonly isIndexing?: true;
  /** The last item that it read; absent before the first. Opaque. */
  readonly position?: string;
}

/** An item that cannot be read, and that a walk would charge or enter. */
export type Unread = "allocation" | "block";

/** What a walk left undone, so that it does not count as a whole one. */
export interface Left {
  /** True if an allocation or a block may still be charged to an earlier round. */
  readonly leftCharges?: true;
  /** True if one of them cannot be read. So the next walk leaves it too, until an operator has looked at it. */
  readonly cannotCharge?: true;
  /** True if an allocation may still lack an index entry. */
  readonly leftIndexing?: true;
  /** True if one of them cannot be read. */
  readonly cannotIndex?: true;
}

/** Returns true if a walk also charges allocations that are charged to no quota, because the last such walk is long ago. */
export const isChargingWalk = (progress: Progress, { beganAtMs }: Sweep): boolean => {
  const { chargedFromMs = 0, unchargedFromMs = 0 } = progress;
  const lastMs = Math.max(chargedFromMs, unchargedFromMs);
  return !isFirst(progress) && beganAtMs >= lastMs + CHARGING_WALK_MS;
};

const isFirst = ({ chargedFromMs, unchargedFromMs }: Progress): boolean =>
  chargedFromMs === undefined && unchargedFromMs === undefined;

/** Returns true if a walk that begins now also enters allocations that are in no index. */
export const isIndexingWalk = (progress: Progress, beganAtMs: number): boolean =>
  isIndexAsked(progress) || isChargingWalk(progress, { beganAtMs, items: 0 });

/** Returns true if an operator added an index after the last walk that entered every allocation. */
const isIndexAsked = ({ indexAskedMs, indexedFromMs = 0 }: Progress): boolean =>
  indexAskedMs !== undefined && indexedFromMs < indexAskedMs + INDEX_SETTLE_MS;

/**
 * Returns true if a walk can complete an index that an operator waits for. After one that met an allocation that it could not read, an operator
 * has to look at that first.
 */
const isIndexInReach = (progress: Progress): boolean => {
  const { indexAskedMs = 0, unindexedFromMs = 0 } = progress;
  return isIndexAsked(progress) && unindexedFromMs < indexAskedMs + INDEX_SETTLE_MS;
};

/**
 * Returns the progress after a walk that has reached the end of its segment. The times are written seldom, because a walk over a small
 * table ends in each run.
 */
export function afterWalk(progress: Progress, walk: Sweep): Progress {
  const { sweep: _, ...rest } = progress;
  return {
    ...rest,
    itemsBefore: walk.items,
    ...((isFirst(progress) || isChargingWalk(progress, walk)) && charged(walk)),
    ...(walk.isIndexing && indexed(walk)),
  };
}

const charged = ({ beganAtMs, leftCharges, cannotCharge }: Sweep): Progress => {
  if (cannotCharge) return { unchargedFromMs: beganAtMs };
  return leftCharges ? {} : { chargedFromMs: beganAtMs };
};

const indexed = ({ beganAtMs, leftIndexing, cannotIndex }: Sweep): Progress => {
  if (cannotIndex) return { unindexedFromMs: beganAtMs };
  return leftIndexing ? {} : { indexedFromMs: beganAtMs };
};

/**
 * Returns how many items a run reads, so that the walk covers the segment in a day. If their number is unknown, if an operator
 * waits for an index that the walk can complete, or if the walk is late, a run reads all that it has time for.
 */
export function itemsToSweep(progress: Progress, nowMs: number): number {
  const { sweep, itemsBefore } = progress;
  if (itemsBefore === undefined || isIndexInReach(progress)) return Number.POSITIVE_INFINITY;
  const elapsedMs = sweep === undefined ? 0 : nowMs - sweep.beganAtMs;
  if (elapsedMs >= SWEEP_MS) return Number.POSITIVE_INFINITY;
  const aim = Math.ceil((itemsBefore * elapsedMs) / SWEEP_MS);
  return Math.max(SWEEP_ITEMS_PER_RUN_MIN, aim - (sweep?.items ?? 0));
}
