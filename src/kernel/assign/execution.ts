import { handleHash } from "../../base/hash.ts";
import { REQUEST_MS_MAX } from "../../base/limits.ts";
import { ContentionError, type Missing, type Rejection } from "../../base/outcome.ts";
import type { Family } from "../../net/address.ts";
import { instanceAfter } from "../../nouns/application/workload.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import type { Charge } from "../../nouns/quota/budget.ts";
import type { Quota } from "../../nouns/quota/quota.ts";
import type { AttributeIndex } from "../../nouns/settings/settings.ts";
import type { Granted, Holding } from "../allocations/holding.ts";
import type { OccupiedQuotaSlot } from "../allocations/quota-slots.ts";
import type { Context } from "../core/context.ts";
import type { Allocation, Indexed, Part } from "../values/allocation.ts";
import type { AllocationPlace } from "../values/allocation-place.ts";
import { fresh, freshAllocationId } from "../values/fresh.ts";
import { indexedIn } from "../values/index-entry.ts";
import {
  type AssignRequest,
  assignmentOf,
  NOTHING_MISSING,
  type Shortage,
  totalOf,
} from "./assignment.ts";
import type { BatchSelections } from "./batch-selections.ts";
import type { Allowance } from "./quota.ts";
import { type FamilyRequest, slotCount } from "./selection.ts";

/** One execution of a request. */
export interface AssignExecution {
  readonly context: Context;
  readonly request: AssignRequest;
  /** The selections of its batch; absent for a request that came alone. */
  readonly batch?: BatchSelections | undefined;
  /** The time before its configuration was read, in milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** The key of its allocation. */
  readonly allocationPlace: AllocationPlace;
  /** The allocation that the next write replaces: its own, or that of an earlier execution. */
  expected?: Allocation | undefined;
  /** The allocation as this execution last wrote it. */
  written?: Allocation | undefined;
  /** The addresses taken so far. */
  held: Holding[];
  /** The quotas of the space as the execution learned them. */
  quotas: readonly Quota[];
  /** The indexes of the space as the execution learned them. */
  indexes: readonly AttributeIndex[];
  /** The index entries of its allocation, once they are written. */
  entered?: Indexed | undefined;
  /** The budgets of quotas that count it, and the number that they count: at least what it holds. */
  charge?: { readonly charges: readonly Charge[]; readonly count: number } | undefined;
  /** True if the quotas of requests have counted it. */
  isCounted?: true;
  /** True if the outcome of a slot write is unknown. Then the allocation stays, because it may hold slots (I3). */
  unsettled: boolean;
  /** The addresses that the limit of its handle permits, for a request with a limit. */
  allowance?: Allowance | undefined;
  /** The quota slots of its handle as its caller read them. They count until another request of the handle proves them old. */
  quotaSlots?: readonly OccupiedQuotaSlot[] | undefined;
  /** The pools of the space as the execution learned them. */
  pools?: readonly Pool[];
  /** Sentences on the pools that the request names, and that the application of its workload does not have. */
  passedOver: readonly string[];
  /** The reason why no pool serves one of the families, for a request that accepts a part. */
  unserved?: Rejection | undefined;
}

/** Returns an execution that begins now. */
export function executionAt(
  context: Context,
  request: AssignRequest,
  batch?: BatchSelections,
): AssignExecution {
  const startedAtMs = context.now();
  return {
    context,
    request,
    batch,
    startedAtMs,
    allocationPlace: placeOf(context, request),
    held: [],
    unsettled: false,
    quotas: [],
    indexes: [],
    passedOver: [],
    quotaSlots: request.quotaSlots,
  };
}

/**
 * Stops an execution that is so old that its configuration may be stale, before it takes more slots. The slots that it took stay
 * valid: a job that changes the pool waits longer than `REQUEST_MS_MAX` before it reads the blocks, and then sees them. An execution
 * that has everything answers however late it is: its allocation may be live, and a replay may have answered with it. Neither may
 * an old execution take addresses from another uid of its instance, whose request may be the later one.
 *
 * @throws {ContentionError}
 */
export function assertYoung({ context, startedAtMs }: AssignExecution): void {
  if (context.now() - startedAtMs > REQUEST_MS_MAX)
    throw new ContentionError("the request took longer than a function can run");
}

function placeOf(context: Context, { space, handle, keyId }: AssignRequest): AllocationPlace {
  return {
    space,
    handleHash: handleHash(handle),
    id: keyId ?? freshAllocationId(context.now(), context.random),
    keyed: keyId !== undefined,
  };
}

/** Returns the addresses that the answer would have now: those of the handle under a limit, and those taken. */
export function grantedTo({ allowance, written, held }: AssignExecution): readonly Granted[] {
  return [...(allowance?.has ?? []), ...(written ? [{ allocation: written, held }] : [])];
}

/** Returns the family requests that still lack addresses, each with the number that it lacks. */
export function missingFrom(
  execution: AssignExecution,
  familyRequests: readonly FamilyRequest[],
): readonly FamilyRequest[] {
  const all = grantedTo(execution).flatMap(({ held }) => held);
  return familyRequests
    .map((familyRequest) => {
      const { family, interface: of, count } = familyRequest;
      const own = ofFamily(all, family).filter(({ part }) => part.interface === of);
      return { ...familyRequest, count: count - slotCount(own) };
    })
    .filter(({ count }) => count > 0);
}

/**
 * Explains what an answer in part lacks; nothing if the answer has everything.
 *
 * @param rejection why the families with a pool lack addresses
 */
export function shortageOf(execution: AssignExecution, rejection?: Rejection): Shortage {
  const withoutPool = unservedOf(execution);
  const reasons = [withoutPool.length > 0 ? execution.unserved : undefined, rejection];
  const details = reasons.flatMap((each) => (each ? [each.detail] : []));
  if (details.length === 0) return NOTHING_MISSING;
  const got = grantedTo(execution).reduce((sum, { held }) => sum + slotCount(held), 0);
  const short = `${got} of ${totalOf(execution.request.wanted)} addresses are assigned.`;
  return {
    messages: [[short, ...details].join(" ")],
    missing: [...withoutPool, ...(rejection?.members.missing ?? [])],
  };
}

/** Returns the addresses without a pool, less those that the handle has under its limit. */
function unservedOf({ unserved, allowance }: AssignExecution): readonly Missing[] {
  if (!unserved) return [];
  const has = (allowance?.has ?? []).flatMap(({ held }) => held);
  return (unserved.members.missing ?? [])
    .map(({ count, ...each }) => ({
      ...each,
      count: count - slotCount(ofFamily(has, each.family)),
    }))
    .filter(({ count }) => count > 0);
}

const ofFamily = (held: readonly Holding[], family: Family) =>
  held.filter(({ block }) => block.cidr.family === family);

/**
 * Returns the caller whom the allocation of the request names, and whose quotas count it: whoever began the request under its key. A
 * later incarnation of an instance is a request of its own.
 */
export const callerOf = ({ request, expected }: AssignExecution): string | undefined =>
  (request.workload ? request : (expected ?? request)).assignedBy;

/** Returns the allocation of the request with these parts. */
export function allocationOf(
  execution: AssignExecution,
  parts: readonly Part[],
  state: "live" | "pending",
): Allocation {
  const { context, request, allocationPlace, allowance, expected, written } = execution;
  const { workload } = request;
  const assignedBy = callerOf(execution);
  const missing = unservedOf(execution);
  const indexed = parts.length > 0 ? indexedOf(execution) : undefined;
  const has = allowance ? assignmentOf(allowance.has, request).addresses : [];
  return {
    place: allocationPlace,
    state,
    handle: request.handle,
    ...(workload && {
      workload: written?.workload ?? instanceAfter(expected?.workload, workload, fresh(context)),
    }),
    host: request.host,
    attributes: request.attributes,
    ...(assignedBy !== undefined && { assignedBy }),
    owners: new Map(),
    want: totalOf(request.wanted) - totalOf(missing) - has.length,
    missing,
    parts,
    released: new Set(),
    conflicts: new Set(),
    charges: execution.charge?.charges ?? [],
    ...(indexed && { indexed }),
    quotaSlots: (allowance?.free ?? []).map(({ quotaSlot }) => quotaSlot),
    reused: allocationPlace.keyed ? has.map(({ generation }) => generation) : [],
    digest: request.digest,
    revision: fresh(context),
    ...times(context, request),
  };
}

/** Returns the index entries of the request: those that it has written, or new ones. */
function indexedOf({ context, request, indexes, entered }: AssignExecution): Indexed | undefined {
  if (entered || indexes.length === 0) return entered;
  const attributes = indexedIn(indexes, request.attributes);
  return attributes.length > 0 ? { attributes, revision: fresh(context) } : undefined;
}

/** Returns the time of a write, and the end of the lease, which counts from the write before the answer. */
export function times(context: Context, { leaseSeconds }: AssignRequest) {
  const atMs = context.now();
  return {
    atMs,
    ...(leaseSeconds !== undefined && { expiresAtMs: atMs + 1000 * leaseSeconds }),
  };
}

/** Forgets what this execution did, after another one ended it or after it withdrew. */
export function startOver(execution: AssignExecution): void {
  const { charge, held, unsettled } = execution;
  // Who frees what it held gives that back. The rest is for what it takes next.
  execution.charge =
    charge && !unsettled ? { ...charge, count: charge.count - slotCount(held) } : undefined;
  execution.held = [];
  execution.written = execution.expected = execution.entered = undefined;
  execution.allowance = execution.quotaSlots = undefined;
}
