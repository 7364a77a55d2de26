import type { Family } from "../net/address.ts";
import { UNREADABLE_CHARACTERS_MAX } from "./limits.ts";

/**
 * The outcome of a conditional write.
 *
 * - `done`: it happened; `item` is the current item (nothing after a deletion).
 * - `lost`: its condition failed; `item` is the item that it found (nothing if there is none).
 * - `unknown`: it may have happened, or may still happen. Only a read of the item, or a fence, settles it (rule 3).
 *
 * The layer below repeats a throttled write, and throws `ThrottledError` if that does not help.
 */
export type Outcome<T> =
  | { readonly outcome: "done"; readonly item: T }
  | { readonly outcome: "lost"; readonly item: T | undefined }
  | { readonly outcome: "unknown" };

/** The codes of all rejections. The edge has the status and title of each. */
export type RejectionCode =
  | "invalid_request"
  | "not_found"
  | "already_assigned"
  | "pool_exhausted"
  | "no_pool_available"
  | "pool_forbidden"
  | "host_not_registered"
  | "block_limit"
  | "block_too_small"
  | "handle_limit"
  | "quota_exceeded"
  | "rate_limited"
  | "strict_affinity"
  | "generation_conflict"
  | "request_in_progress"
  | "already_released"
  | "address_cooling"
  | "address_quarantined"
  | "idempotency_mismatch"
  | "precondition_failed"
  | "prefix_mismatch"
  | "prefix_in_use"
  | "node_gone"
  | "other_cluster"
  | "too_many_missing"
  | "precondition_required"
  | "pool_overlap"
  | "pool_in_use"
  | "pool_deleting"
  | "space_in_use";

/** The addresses of one family that a request asked for and did not get, and why. */
export interface Missing {
  readonly family: Family;
  readonly count: number;
  readonly code: RejectionCode;
  readonly interface?: string;
}

interface Members {
  /** The addresses that an assign could not get. */
  readonly missing?: readonly Missing[];
  /** The pools that were considered, if none may serve. */
  readonly pools?: readonly unknown[];
  readonly [name: string]: unknown;
}

/** An expected rejection: a value, not an error. `members` has the ids and numbers for programs. */
export class Rejection {
  readonly code: RejectionCode;
  /** A sentence for a person. */
  readonly detail: string;
  readonly members: Members;

  constructor(code: RejectionCode, detail: string, members: Members = {}) {
    this.code = code;
    this.detail = detail;
    this.members = members;
  }
}

/**
 * Joins the rejections of the families or interfaces of a request into one. It has the code of the first and the missing addresses of all.
 * It is retryable if all of them are, and can succeed when the last one can.
 */
export const together = (first: Rejection, ...others: readonly Rejection[]): Rejection =>
  joined(first, others, "all");

/** Joins the rejections of pools that were tried one after another. It is retryable if one of them is, and as soon as the first one is. */
export const inTurn = (first: Rejection, ...others: readonly Rejection[]): Rejection =>
  joined(first, others, "one");

function joined(first: Rejection, others: readonly Rejection[], needs: "all" | "one"): Rejection {
  if (others.length === 0) return first;
  const all = [first, ...others];
  // A time at which it can succeed makes a rejection retryable, also where its code does.
  const may = all.filter(
    ({ members }) => members.retryable === true || members.availableAt !== undefined,
  );
  const isRetryable = needs === "all" ? may.length === all.length : may.length > 0;
  const missing = all.flatMap(({ members }) => members.missing ?? []);
  const pools = all
    .filter(({ code }) => code === first.code)
    .flatMap(({ members }) => members.pools ?? []);
  const { retryable: _, availableAt: __, retryAfterSeconds: ___, ...members } = first.members;
  const counts = COUNTS.filter((name) => all.some((each) => name in each.members)).map((name) => [
    name,
    all.reduce((sum, each) => sum + Number(each.members[name] ?? 0), 0),
  ]);
  return new Rejection(first.code, all.map(({ detail }) => detail).join(" "), {
    ...members,
    ...Object.fromEntries(counts),
    ...(isRetryable && { retryable: true, ...timeOf(may, needs) }),
    ...(missing.length > 0 && { missing }),
    ...(pools.length > 0 && { pools }),
  });
}

/** Returns when a request can succeed after rejections that tell so; nothing if one that it needs does not tell. */
function timeOf(all: readonly Rejection[], needs: "all" | "one") {
  const timed = all.filter(({ members }) => typeof members.availableAt === "string");
  if (needs === "all" && timed.length < all.length) return {};
  const inOrder = timed.toSorted(
    (a, b) => Number(a.members.retryAfterSeconds) - Number(b.members.retryAfterSeconds),
  );
  const { availableAt, retryAfterSeconds } = inOrder.at(needs === "all" ? -1 : 0)?.members ?? {};
  return availableAt === undefined ? {} : { availableAt, retryAfterSeconds };
}

/** Members that add up. */
const COUNTS = ["poolsTried", "poolsServing", "cooling"];

/** Other callers were faster every time, up to a named maximum. Nothing is held, and the caller can retry. */
export class ContentionError extends Error {
  override readonly name = "ContentionError";
}

/** An item that this version cannot read. */
export interface UnreadableItem {
  /** The name of the item for people: `pool main`, `block 10.0.0.0`. */
  readonly item: string;
  /** The format that the item names; absent if it names none, or the one that this version reads. */
  readonly format?: number;
  /** The only format of its kind that this version reads. */
  readonly reads?: number;
}

/** An item that this version cannot read. Plat never takes from it, changes it or deletes it. */
export class CorruptItemError extends Error {
  override readonly name = "CorruptItemError";
  readonly members: UnreadableItem;
  /** The reason, to be read after the item's name, cut to `UNREADABLE_CHARACTERS_MAX`. */
  readonly why: string;
  /** The kind of the item, for the log, which must not have its name. */
  readonly kind: string;

  constructor(
    members: UnreadableItem,
    why: string,
    { kind = "unknown", ...options }: ErrorOptions & { readonly kind?: string | undefined } = {},
  ) {
    const short = cut(why);
    super(`the item of ${members.item} ${short}`, options);
    this.members = members;
    this.why = short;
    this.kind = kind;
  }

  /** The reason without any value of the item, for the log. */
  get problem(): string {
    const { format, reads } = this.members;
    if (reads === undefined) return "cannot be read";
    const has = format === undefined ? "no known format" : `format ${format}`;
    return `has ${has}, and this version reads format ${reads}`;
  }

  /** The message as a sentence for a person. */
  get sentence(): string {
    return `${this.message.charAt(0).toUpperCase()}${this.message.slice(1)}.`;
  }
}

/** Cuts a text without splitting a Unicode character. */
const cut = (text: string): string =>
  text.length <= UNREADABLE_CHARACTERS_MAX
    ? text
    : `${text.slice(0, UNREADABLE_CHARACTERS_MAX - 1).replace(/\p{Cs}$/u, "")}…`;

/** Returns the item, or the error of an unreadable one, for callers that continue without it. */
export async function orCorrupt<T>(read: Promise<T>): Promise<T | CorruptItemError> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof CorruptItemError) return error;
    throw error;
  }
}

/** The database throttled the call, or reported a replicated-write conflict, again and again. Its message has no names. */
export class ThrottledError extends Error {
  override readonly name = "ThrottledError";
  /** The handle whose addresses an assign may hold although it was not answered. */
  handle?: string;
}

/** The database or the event bus did not answer, and the outcome could not be determined. Its message has no names. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
  /** The handle whose addresses an assign may hold although it was not answered. */
  handle?: string;
}

/** The last moment at which a request may call a table, and its clock. */
export interface Deadline {
  readonly lastCallMs: number;
  readonly nowMs: () => number;
}

/**
 * The request's time is over, and Plat starts no further call for it, as if its function had been stopped. It is final:
 * no call is repeated, and parallel work ends. Its message has no names.
 */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  /** The handle whose addresses an assign may hold although it was not answered. */
  handle?: string;
}

/**
 * The table is not the one that its register names, or an operator must look at it first: no write is served. Its message says why, without
 * any name.
 */
export class TableFrozenError extends Error {
  override readonly name = "TableFrozenError";
  /** A sentence with what an operator does. */
  readonly wayOut: string;

  constructor(
    message: string,
    wayOut = "An operator must run `plat restore`; docs/restore.md says how.",
  ) {
    super(message);
    this.wayOut = wayOut;
  }
}

/** The errors that stop an operation without a decision. */
export type CutShort = ThrottledError | UnavailableError | DeadlineError;

export const isCutShort = (error: unknown): error is CutShort =>
  error instanceof ThrottledError ||
  error instanceof UnavailableError ||
  error instanceof DeadlineError;

/** The conditional writes of one request, and what became of them. */
export interface WriteCounts {
  /** All conditional writes: the tries of every compare-and-swap. */
  writes: number;
  /** Writes whose condition failed, because somebody else was faster. */
  conflicts: number;
  /** Blocks that were created for a host, a set or a node. */
  claims: number;
  /** Empty blocks that another host got. */
  seizes: number;
  /** New entries of borrowed blocks. */
  borrows: number;
}

export const noWrites = (): WriteCounts => ({
  writes: 0,
  conflicts: 0,
  claims: 0,
  seizes: 0,
  borrows: 0,
});
