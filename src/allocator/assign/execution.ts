import type { Family } from "../../domain/address.ts";
import type { AssignmentRecord, Part } from "../../domain/allocation.ts";
import type { RecordPlace } from "../../domain/allocation-place.ts";
import { freshRecordId } from "../../domain/fresh.ts";
import { handleHash } from "../../domain/hash.ts";
import { PARTS_ENDED_AT_ONCE } from "../../domain/limits.ts";
import type { Missing, Refusal } from "../../domain/outcome.ts";
import { tagOf } from "../allocations/close-allocation.ts";
import { giveBack } from "../allocations/free-slots.ts";
import type { Granted, Holding } from "../allocations/holding.ts";
import { dropSeats } from "../allocations/quota-slots.ts";
import { type Context, fresh } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { type AssignRequest, assignment, totalOf } from "./assignment.ts";
import type { Allowance } from "./quota.ts";
import { countOf, type Wish } from "./selection.ts";

/** One execution of one request. */
export interface Attempt {
  readonly context: Context;
  readonly request: AssignRequest;
  /** Before its configuration was read. */
  readonly startedAtMs: number;
  readonly place: RecordPlace;
  /** The record to write over: our own, or what an earlier execution left. */
  seen?: AssignmentRecord | undefined;
  /** The record as this execution wrote it last. */
  mine?: AssignmentRecord | undefined;
  /** What is taken so far. */
  held: Holding[];
  /** Is it unknown of a slot write whether it was done, or will be? Then the record must stay, for it may hold something (I3). */
  unsettled: boolean;
  /** What the limit of its handle leaves a request that has one. */
  allowance?: Allowance | undefined;
  /** Why no pool serves one of its families, where less than was asked for will do. */
  unserved?: Refusal | undefined;
}

/** An execution that begins now. */
export function attemptAt(context: Context, request: AssignRequest): Attempt {
  const startedAtMs = context.now();
  return {
    context,
    request,
    startedAtMs,
    place: placeOf(context, request),
    held: [],
    unsettled: false,
  };
}

function placeOf(context: Context, { space, handle, keyId }: AssignRequest): RecordPlace {
  return {
    space,
    handleHash: handleHash(handle),
    id: keyId ?? freshRecordId(context.now(), context.random),
    keyed: keyId !== undefined,
  };
}

/** What the answer would have now: what its handle has already under a limit, and what is taken. */
export function grantedTo({ allowance, mine, held }: Attempt): readonly Granted[] {
  return [...(allowance?.has ?? []), ...(mine ? [{ record: mine, held }] : [])];
}

/** What is still wanted. */
export function shortfall(attempt: Attempt, wishes: readonly Wish[]): readonly Wish[] {
  const all = grantedTo(attempt).flatMap(({ held }) => held);
  return wishes
    .map((wish) => ({
      ...wish,
      count: wish.count - countOf(ofFamily(all, wish.family)),
    }))
    .filter(({ count }) => count > 0);
}

/** What no pool serves, but for what the handle has of it already under its limit. */
export function unservedOf({ unserved, allowance }: Attempt): readonly Missing[] {
  const has = (allowance?.has ?? []).flatMap(({ held }) => held);
  return (unserved?.members.missing ?? [])
    .map(({ count, ...each }) => ({ ...each, count: count - countOf(ofFamily(has, each.family)) }))
    .filter(({ count }) => count > 0);
}

const ofFamily = (held: readonly Holding[], family: Family) =>
  held.filter(({ block }) => block.cidr.family === family);

/** The record of the request, with these parts. */
export function recordOf(
  attempt: Attempt,
  parts: readonly Part[],
  state: "live" | "open",
): AssignmentRecord {
  const { context, request, place, allowance, seen } = attempt;
  // Who goes on with what another began does it for that one.
  const { assignedBy } = seen ?? request;
  const missing = unservedOf(attempt);
  const has = assignment(allowance?.has ?? [], request).addresses;
  return {
    place,
    state,
    handle: request.handle,
    host: request.host,
    attributes: request.attributes,
    ...(assignedBy !== undefined && { assignedBy }),
    owners: new Map(),
    want: totalOf(request.wanted) - totalOf(missing) - has.length,
    missing,
    parts,
    given: new Set(),
    seats: (allowance?.free ?? []).map(({ seat }) => seat),
    also: place.keyed ? has.map(({ generation }) => generation) : [],
    digest: request.digest,
    revision: fresh(context),
    ...times(context, request),
  };
}

/** A lease counts from the write that may be answered. */
export function times(context: Context, { leaseSeconds }: AssignRequest) {
  const atMs = context.now();
  return {
    atMs,
    ...(leaseSeconds !== undefined && { expiresAtMs: atMs + 1000 * leaseSeconds }),
  };
}

/** Nothing of what this execution did stands any more. */
export function startOver(attempt: Attempt): void {
  attempt.held = [];
  attempt.mine = attempt.seen = undefined;
  attempt.allowance = undefined;
}

/**
 * Nobody was answered, and nobody will be: the head is aborted, and only then is anything given back, without cooldown
 * (rule 7). The record of an execution that holds nothing just goes, exactly as it was left. Where a slot write is unsettled
 * the record stays, and the collector fences its parts.
 */
export async function withdraw({ context, mine, held, unsettled }: Attempt): Promise<void> {
  if (!mine) return;
  const { store } = context;
  if (held.length === 0) {
    if (unsettled) return;
    await dropSeats(context, mine, mine.seats);
    return store.deleteRecord("give-up", mine);
  }
  const aborted: AssignmentRecord = {
    ...mine,
    state: "aborted",
    revision: fresh(context),
    atMs: context.now(),
  };
  const written = await store.changeRecord("abort", mine, aborted);
  if (written.outcome !== "done") return; // whoever decided it gives back what it holds, or the collector does
  await inParallel(held, PARTS_ENDED_AT_ONCE, ({ part, ordinals }) =>
    giveBack(context, tagOf(aborted, part), ordinals),
  );
  if (unsettled) return;
  await dropSeats(context, aborted, aborted.seats);
  await store.deleteRecord("give-up", aborted);
}
