import type { Due } from "./allocation.ts";
import { INDEX_SETTLE_MS } from "./limits.ts";

/** The time in which the repair run walks once through the whole table. */
export const SWEEP_MS = 24 * 60 * 60 * 1000;
/** Items of its segment that a run reads at least: the walk over a small table is more frequent, and costs little. */
export const SWEEP_ITEMS_PER_RUN_MIN = 16;
/** Spaces that a walk names because it could not read something of them. With more, it counts for none. */
export const UNREAD_SPACES_MAX = 16;
/** After this time a walk of the repair run looks again for allocations that are charged to no quota. */
export const CHARGING_WALK_MS = 12 * 60 * 60 * 1000;

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
  /** The last such walk that could not read everything. */
  readonly chargedBut?: PartialWalk;
  /** The beginning of a complete walk that entered every allocation of the segment in the indexes of its space. */
  readonly indexedFromMs?: number;
  /** The last such walk that could not read everything. */
  readonly indexedBut?: PartialWalk;
  /** A time after an operator added an index. Its author writes it. */
  readonly indexAskedMs?: number;
}

/** A complete walk that left something in these spaces, because it could not read it; in any space if it names none. */
export interface PartialWalk {
  readonly fromMs: number;
  readonly spaces?: readonly string[];
}

/** The last complete walks of a shard that entered every allocation in the indexes of its space. */
export interface ShardWalk extends Pick<Progress, "indexedFromMs" | "indexedBut"> {
  readonly shard: number;
}

/** Returns the walks of a shard as a space may know them: without the names of other spaces. */
export function seenFrom({ indexedBut, ...walk }: ShardWalk, space: string): ShardWalk {
  if (!indexedBut) return walk;
  const { spaces, fromMs } = indexedBut;
  const own = spaces && { spaces: spaces.filter((each) => each === space) };
  return { ...walk, indexedBut: { fromMs, ...own } };
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

/** An item of a space that cannot be read, and that a walk would charge or enter. */
export interface Unread {
  readonly kind: "allocation" | "block";
  readonly space: string;
}

/** The work that a walk left undone. */
export interface Left {
  /** True if an allocation or a block may still be charged to an earlier round, and the next walk can charge it. */
  readonly leftCharges?: true;
  /** The spaces in which it could not charge one, because something cannot be read. One more than `UNREAD_SPACES_MAX` are all. */
  readonly uncharged?: readonly string[];
  /** True if an allocation may still lack an index entry, and the next walk can write it. */
  readonly leftIndexing?: true;
  /** The spaces in which it could not enter one, because something cannot be read. */
  readonly unindexed?: readonly string[];
}

/**
 * Returns what a walk left, with one thing more.
 *
 * @param unreadIn the space of what cannot be read; nothing if the next walk can make up for it
 */
export function leaving(left: Left, what: "charges" | "indexing", unreadIn?: string): Left {
  if (what === "charges")
    return unreadIn === undefined
      ? { ...left, leftCharges: true }
      : { ...left, uncharged: withSpace(left.uncharged, unreadIn) };
  return unreadIn === undefined
    ? { ...left, leftIndexing: true }
    : { ...left, unindexed: withSpace(left.unindexed, unreadIn) };
}

const withSpace = (spaces: readonly string[] = [], space: string): readonly string[] =>
  spaces.includes(space) || spaces.length > UNREAD_SPACES_MAX ? spaces : [...spaces, space];

/** Returns true if a walk that began at a time or later left nothing in a space. */
export const hasWalked = (
  {
    fromMs = 0,
    but,
  }: { readonly fromMs?: number | undefined; readonly but?: PartialWalk | undefined },
  space: string,
  sinceMs: number,
): boolean =>
  fromMs >= sinceMs ||
  (but?.spaces !== undefined && but.fromMs >= sinceMs && !but.spaces.includes(space));

/** Returns true if a walk also charges allocations that are charged to no quota, because the last such walk is long ago. */
export const isChargingWalk = (progress: Progress, { beganAtMs }: Sweep): boolean => {
  const { chargedFromMs = 0, chargedBut } = progress;
  const lastMs = Math.max(chargedFromMs, chargedBut?.fromMs ?? 0);
  return !isFirst(progress) && beganAtMs >= lastMs + CHARGING_WALK_MS;
};

/**
 * Returns true if the end of a walk proves something: that no allocation names an earlier round of a budget, or that an
 * index has every one. Such a walk must not miss an item that was there when it began.
 */
export const isProof = (progress: Progress, walk: Sweep): boolean =>
  isFirst(progress) || isChargingWalk(progress, walk) || walk.isIndexing === true;

const isFirst = ({ chargedFromMs, chargedBut }: Progress): boolean =>
  chargedFromMs === undefined && chargedBut === undefined;

/** Returns true if a walk that begins now also enters allocations that are in no index. */
export const isIndexingWalk = (progress: Progress, beganAtMs: number): boolean =>
  isIndexAsked(progress) || isChargingWalk(progress, { beganAtMs, items: 0 });

/** Returns true if an operator added an index after the last walk that entered every allocation. */
const isIndexAsked = ({ indexAskedMs, indexedFromMs = 0 }: Progress): boolean =>
  indexAskedMs !== undefined && indexedFromMs < indexAskedMs + INDEX_SETTLE_MS;

/**
 * Returns true if the next walk can do more for an index that an operator waits for. After one that could not read something, an operator has
 * to look at that first.
 */
const isIndexInReach = (progress: Progress): boolean => {
  const { indexAskedMs = 0, indexedBut } = progress;
  return isIndexAsked(progress) && (indexedBut?.fromMs ?? 0) < indexAskedMs + INDEX_SETTLE_MS;
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

const charged = ({ beganAtMs, leftCharges, uncharged }: Sweep): Progress => {
  if (leftCharges) return {};
  return uncharged ? { chargedBut: butIn(uncharged, beganAtMs) } : { chargedFromMs: beganAtMs };
};

const indexed = ({ beganAtMs, leftIndexing, unindexed }: Sweep): Progress => {
  if (leftIndexing) return {};
  return unindexed ? { indexedBut: butIn(unindexed, beganAtMs) } : { indexedFromMs: beganAtMs };
};

const butIn = (spaces: readonly string[], fromMs: number): PartialWalk =>
  spaces.length > UNREAD_SPACES_MAX ? { fromMs } : { fromMs, spaces };

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
