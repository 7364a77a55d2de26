import { assertTexts, assertTimes } from "../../base/assertions.ts";
import { CLOCK_SKEW_MS_MAX, GIVE_BACK_LANES, GRACE_MS, REQUEST_MS_MAX } from "../../base/limits.ts";

/** The time in which a function spends what it took of a budget. */
const BUDGET_PIECE_MS = 30_000;
/**
 * The time after the beginning of a round until which something may still be charged to the round before: a piece, a request with
 * it, and the clocks. The walk leaves out what is younger than `GRACE_MS`. The rest is for reads that are eventually consistent.
 */
export const BUDGET_SETTLE_MS =
  BUDGET_PIECE_MS + REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX + GRACE_MS + 18_000;
/** A budget begins a new round at most once in this time, because the repair run then charges every allocation anew. */
export const BUDGET_ROUND_MS = 24 * 60 * 60 * 1000;

/** The kinds of things that budgets count. */
export const COUNTED = ["addresses", "prefixes", "blocks"] as const;
export type Counted = (typeof COUNTED)[number];

/** Names the budget of a quota for what it counts. */
export interface BudgetNamed {
  readonly space: string;
  readonly quota: string;
  readonly of: Counted;
}

/**
 * The count of what is assigned under a quota. `used` counts at least what is held, and what functions took to assign it (I21). So a quota is never
 * exceeded, and a crash can only make it count too much.
 *
 * What crashes left counted goes with its round. A round counts what is charged to it. The repair run charges all that is held to the
 * current round, item by item. When it has met all of them, nothing is left of the round before, and Plat drops its count.
 */
export interface Budget extends BudgetNamed {
  /** The current round, to which everything new is charged. */
  readonly round: string;
  /** The round before; absent in the first one. */
  readonly before?: string;
  readonly roundAtMs: number;
  readonly used: number;
  /** The part of `used` that was charged to the round before, less what moved to the current one. */
  readonly old: number;
  /** The mark of the last write that gave back in each lane; a lane without one was never used. */
  readonly lanes?: Lanes;
}

export type Lanes = Readonly<Record<number, string>>;

/**
 * The mark of a write that gives back, by which it counts once, however often it is delivered. It replaces the mark of a lane by one of
 * its own, so a repeat finds another mark than it expects, and its author finds its own.
 */
export interface GiveBackMark {
  readonly lane: number;
  /** The mark that the lane is expected to have; absent for a lane that was never used. */
  readonly seen: string | undefined;
  /** Unique for each write. */
  readonly mark: string;
}

/** Returns the lane in which a function goes on that lost its own: one that was never used, if there is any. */
export function anyLane(lanes: Lanes, random: number): Pick<GiveBackMark, "lane" | "seen"> {
  const all = [...new Array(GIVE_BACK_LANES).keys()];
  const unused = all.filter((lane) => lanes[lane] === undefined);
  const among = unused.length > 0 ? unused : all;
  const lane = among[Math.floor(random * among.length)] as number;
  return { lane, seen: lanes[lane] };
}

/** The budget to which an allocation or a block is charged, and the round. */
export interface Charge {
  readonly quota: string;
  readonly of: Counted;
  readonly round: string;
}

/** The share of a budget that one function may still assign. */
export interface BudgetPiece {
  readonly round: string;
  readonly untilMs: number;
  /** The number that it took. */
  readonly size: number;
  /** The count of the budget at that time. */
  readonly used: number;
  /** The maximum of its quota at that time. Under a lower one it is not spent. */
  readonly max: number;
  left: number;
}

/** Checks that a budget has what its conditions compare. @throws {Error} */
export function assertBudget({ space, quota, of, round, before = "none", ...rest }: Budget): void {
  assertTexts({ space, quota, of, round, before });
  assertTimes(rest.roundAtMs);
  // What crashes left counted twice can make a count of a round negative; the sum never lacks anything.
  for (const [name, number] of Object.entries({ used: rest.used, old: rest.old }))
    if (!Number.isSafeInteger(number)) throw new Error(`its ${name} is no whole number`);
}

/** Checks a charge of an allocation or a block. @throws {Error} */
export function assertCharge({ quota, of, round }: Charge): void {
  assertTexts({ quota, of, round });
  if (!COUNTED.includes(of)) throw new Error(`a charge of it is for ${of}`);
}

/**
 * Returns how many a function takes of a budget to spend some. A function that spends its pieces fast takes twice as many the next
 * time. It takes one by one if the budget is small or nearly used up, so that nothing is left over where it is missing.
 */
export function piecesToTake(
  wanted: number,
  last: BudgetPiece | undefined,
  { max, used, nowMs }: { readonly max: number; readonly used: number; readonly nowMs: number },
): number {
  const most = Math.floor((max - used) / PIECE_SHARE);
  const isFast = last !== undefined && nowMs < last.untilMs;
  return Math.max(wanted, Math.min(isFast ? 2 * last.size : wanted, most));
}

/** A function takes at most this part of what is left in a budget. */
const PIECE_SHARE = 64;

/** Returns true if a round is so old that the next one may begin. */
export const isRoundOver = ({ roundAtMs }: Budget, nowMs: number): boolean =>
  nowMs >= roundAtMs + BUDGET_ROUND_MS;

/** Returns the time from which on a walk over the table meets everything that is charged to an earlier round. */
export const settledMs = ({ roundAtMs }: Budget): number => roundAtMs + BUDGET_SETTLE_MS;

/** Returns the end of a piece that is taken now. */
export const pieceUntilMs = (nowMs: number): number => nowMs + BUDGET_PIECE_MS;

/** Returns the budget after its round: what was left of the round before is dropped. */
export const nextRound = (seen: Budget, round: string, nowMs: number): Budget => {
  const used = seen.used - seen.old;
  return { ...seen, round, before: seen.round, roundAtMs: nowMs, used, old: used };
};
