import { ALLOCATION_BYTES_MAX } from "../../base/limits.ts";
import { Rejection } from "../../base/outcome.ts";
import { same } from "../../base/same.ts";
import { formatAddress } from "../../net/address.ts";
import { addressAt } from "../../net/cidr.ts";
import { instanceAfter, type Workload } from "../../nouns/application/workload.ts";
import { noneUnread } from "../../nouns/pool/configuration.ts";
import { type Pool, subnetIdOf } from "../../nouns/pool/pool.ts";
import type { Charge } from "../../nouns/quota/budget.ts";
import { isSameSubject, quotasFor } from "../../nouns/quota/quota.ts";
import { excludesCaller, poolForbidden } from "../../selection/selection.ts";
import type { Holding } from "../allocations/holding.ts";
import { areEntriesYoung, ensureEntries } from "../allocations/index-entries.ts";
import { confirmBorrowedBlock } from "../blocks/borrowed-block.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { charge } from "../quotas/budgets.ts";
import { giveBack } from "../quotas/give-back.ts";
import {
  type Allocation,
  allocationBytes,
  type Indexed,
  isBorrowed,
} from "../values/allocation.ts";
import { fresh } from "../values/fresh.ts";
import { entriesOf, indexedIn, nameOfEntry } from "../values/index-entry.ts";
import { PARTS_TAKEN_AT_ONCE } from "../values/limits.ts";
import { type AssignRequest, interfacesOf, totalOf, type WantedCount } from "./assignment.ts";
import { type AssignExecution, assertYoung } from "./execution.ts";
import { applicationFor, means, unregistered } from "./family-requests.ts";
import { requesterOf } from "./requester.ts";
import { slotCount } from "./selection.ts";

/** An instance that returns: its allocation, and what that holds. */
interface Returning {
  readonly workload: Workload;
  /** The allocation, which names the next host by now. */
  readonly seen: Allocation;
  /** It was read after the allocation, and a release writes the allocation first. */
  readonly held: readonly Holding[];
  /** True if the allocation named another host before. */
  readonly isMoved: boolean;
  readonly charge: ReturnCharge;
}

/**
 * Gives an instance the addresses of its last incarnation again, on any host. No slot is written: from the first assign to the last
 * release the allocation alone says who has them (I14).
 *
 * The allocation names the next host already, so that the repair run keeps the borrowed-block entries of that host. Now come the
 * entries, and then the incarnation that the answer tells of (I11). What this function remembers of them does not count: the repair
 * run may have looked before the allocation named the host, and no write of a slot would meet its fence.
 *
 * @returns the allocation of the next incarnation; nothing if it has changed since it was seen
 */
export async function returnInstance(
  execution: AssignExecution,
  { workload, seen, held, isMoved, charge }: Returning,
): Promise<Allocation | undefined> {
  const { context, request } = execution;
  const { host } = request;
  // A block of the host needs an entry too if it was read before the allocation named the host: it may be taken from the host
  // since. A kept allocation may name the host without its entries, after a return that was cut off.
  const lacksEntry = ({ block }: Holding) =>
    isMoved || (seen.state === "kept" && block.host !== host);
  const ready = await inParallel(held.filter(lacksEntry), PARTS_TAKEN_AT_ONCE, ({ block }) =>
    confirmBorrowedBlock(context, host, block),
  );
  if (!ready.every(Boolean)) return undefined;
  const { attributes } = request;
  const indexed = await enterAttributes(
    context,
    { ...seen, attributes, atMs: context.now() },
    seen,
  );
  if (indexed === "unknown") return undefined;
  // The addresses fit the request by the configuration and the application that it began with.
  assertYoung(execution);
  const { indexed: _, assignedBy: __, ...rest } = seen;
  const { made } = charge;
  charge.made = [];
  const returned = await rewritten(context, indexed ? { ...rest, indexed } : rest, {
    state: "live",
    workload: instanceAfter(seen.workload, workload, fresh(context)),
    attributes,
    ...(request.assignedBy !== undefined && { assignedBy: request.assignedBy }),
    owners: new Map(),
    digest: request.digest,
    charges: [...charge.kept, ...made],
  });
  if (returned === "lost") charge.made = made;
  if (typeof returned === "string") return undefined;
  await giveBack(context, request.space, charge.ended, slotCount(held));
  // If this took long, the repair run may have deleted entries that the allocation did not list yet.
  if (!areEntriesYoung(context, execution.startedAtMs))
    await ensureEntries(context, entriesOf(returned));
  return returned;
}

/** The charges of an instance that returns. */
interface ReturnCharge {
  /** Those that its allocation has already, and will have. */
  readonly kept: readonly Charge[];
  /** Those that it has already, and will lose. */
  readonly ended: readonly Charge[];
  /**
   * Those that were made for its return, and that its allocation surely does not name. While nobody knows whether it does, they stay
   * counted until the round is over.
   */
  made: readonly Charge[];
}

/**
 * Runs the return of an instance with its charges, and gives back what was made for nothing. An instance that returns for another caller
 * or tenant is charged to the quotas that limit this one and did not limit the one before, before anything is written (I21).
 *
 * @returns the result; the rejection of a quota that allows no more
 */
export async function withReturnCharge<T>(
  execution: AssignExecution,
  seen: Allocation,
  held: readonly Holding[],
  bring: (charge: ReturnCharge) => Promise<T>,
): Promise<T | Rejection> {
  const { context, request } = execution;
  const count = slotCount(held);
  const charge = await returnChargeOf(execution, seen, count);
  if (charge instanceof Rejection) return charge;
  try {
    return await bring(charge);
  } finally {
    await giveBack(context, request.space, charge.made, count);
  }
}

async function returnChargeOf(
  { context, request }: AssignExecution,
  seen: Allocation,
  count: number,
): Promise<ReturnCharge | Rejection> {
  if (isSameSubject(seen, request)) return { kept: seen.charges, ended: [], made: [] };
  // Of quotas that cannot be read nobody knows whom they limit.
  const { quotas } = await configurationOf(context, request.space);
  const limiting = quotasFor(quotas, request);
  const before = new Set(quotasFor(quotas, seen));
  const stays = ({ quota }: Charge) => limiting.some(({ name }) => name === quota);
  const { assignedBy, attributes } = request;
  const newly = limiting.filter((quota) => !before.has(quota));
  const subject = { assignedBy, attributes, quotas: newly };
  const made = await charge(context, subject, { of: "addresses", count });
  if (made instanceof Rejection) return made;
  const kept = seen.charges.filter(stays);
  return { kept, ended: seen.charges.filter((one) => !stays(one)), made };
}

/**
 * Writes the index entries of the attributes that an instance returns with, before its allocation has them (I22). The repair run deletes
 * those of earlier values: no call follows the write that decides.
 *
 * @returns what the allocation will list; nothing without an index of its attributes
 */
async function enterAttributes(
  context: Context,
  next: Allocation,
  seen: Allocation,
): Promise<Indexed | "unknown" | undefined> {
  const { indexes } = await configurationOf(context, next.place.space);
  const names = indexedIn(indexes, next.attributes);
  if (names.length === 0) return undefined;
  const indexed = { attributes: names, revision: fresh(context) };
  const wanted = entriesOf({ ...next, indexed });
  const listed = entriesOf(seen).map(nameOfEntry);
  if (seen.indexed && same(wanted.map(nameOfEntry), listed)) return seen.indexed;
  return (await ensureEntries(context, wanted)) ? indexed : "unknown";
}

/**
 * Names the host of the request in the allocation of an instance. `kept`: neither host has the addresses until the entries are
 * written.
 *
 * @returns the allocation as it is then; nothing if it has changed since it was seen
 */
export async function nameHost(
  { context, request: { host } }: AssignExecution,
  seen: Allocation,
): Promise<Allocation | undefined> {
  const named = await rewritten(context, seen, { state: "kept", host });
  return typeof named === "string" ? undefined : named;
}

/**
 * Changes an allocation as it was seen.
 *
 * @returns it as it is then; whether the change is lost, or may still land, or has landed before another one
 */
async function rewritten(
  context: Context,
  seen: Allocation,
  change: Partial<Allocation>,
): Promise<Allocation | "lost" | "unknown"> {
  const { store } = context;
  const next: Allocation = { ...seen, ...change, revision: fresh(context), atMs: context.now() };
  const result = await store.changeAllocation("instance-return", seen, next);
  const current =
    result.outcome === "unknown" ? await store.readAllocation(next.place) : result.item;
  if (current?.revision === next.revision) return next;
  return result.outcome === "unknown" ? "unknown" : "lost";
}

/** Returns the rejection of a host that may have no addresses at all. */
export async function whyNotTo({
  context,
  request,
}: AssignExecution): Promise<Rejection | undefined> {
  const configuration = await configurationOf(context, request.space);
  const requester = await requesterOf(context, request, configuration);
  return unregistered(request, configuration, requester);
}

/**
 * Returns true if the addresses of the last incarnation are what the request asks for: as many of each family for each interface, from
 * pools that it means before any filter, from blocks of the host if affinity is strict. Neither a reservation nor a disabled pool takes
 * them away, as in Spiderpool (docs/usage/statefulset.md).
 *
 * @returns the rejection of a caller whom one of their pools does not serve: another one may need them again
 */
export async function isFit(
  { context, request }: AssignExecution,
  seen: Allocation,
  held: readonly Holding[],
): Promise<boolean | Rejection> {
  const configuration = await configurationOf(context, request.space);
  const requester = await requesterOf(context, request, configuration);
  const poolOfHolding = ({ part, block }: Holding): Pool | undefined =>
    configuration.pools.find(
      (each) => subnetIdOf(each) === block.poolId && each.name === (part.pool ?? each.name),
    );
  const mayServe = (holding: Holding): boolean => {
    const { part, block } = holding;
    const pool = poolOfHolding(holding);
    // The addresses stay where they are until the pool can be read.
    if (!pool) noneUnread(configuration);
    if (pool?.state !== "active") return false;
    if (configuration.settings.strictAffinity && isBorrowed(request, part, block)) return false;
    const asked = interfacesOf(request).find((one) => one.interface === part.interface);
    if (!asked) return false;
    // An instance of an application has its addresses alone, and any other instance has none of them.
    const isOfApplication = applicationFor(asked, requester) !== undefined;
    if (isOfApplication !== (part.ofApplication === true)) return false;
    return means(asked, configuration, requester, pool);
  };
  const fits =
    areAsked(request, held) &&
    held.every(mayServe) &&
    allocationBytes({ ...seen, attributes: request.attributes }) <= ALLOCATION_BYTES_MAX;
  if (!fits) return false;
  for (const holding of held) {
    // What an application got stays with it, whatever its pools refuse from then on.
    const pool = holding.part.ofApplication ? undefined : poolOfHolding(holding);
    const unfit = pool && excludesCaller(pool, requester);
    if (pool && unfit) return poolForbidden(pool, unfit, {});
  }
  return true;
}

function areAsked(
  { wanted, addresses: named = [] }: AssignRequest,
  held: readonly Holding[],
): boolean {
  const addresses = held.flatMap(({ part, block, ordinals }) =>
    ordinals.map((ordinal) => ({ ...addressAt(block.cidr, ordinal), interface: part.interface })),
  );
  const countFor = ({ family, interface: of }: WantedCount) =>
    addresses.filter((each) => each.family === family && each.interface === of).length;
  return (
    totalOf(wanted) === addresses.length &&
    wanted.every((each) => countFor(each) === each.count) &&
    named.every((one) => addresses.some((each) => formatAddress(each) === formatAddress(one)))
  );
}
