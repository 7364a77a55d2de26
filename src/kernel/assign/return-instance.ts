import { ALLOCATION_BYTES_MAX } from "../../base/limits.ts";
import type { Rejection } from "../../base/outcome.ts";
import { same } from "../../base/same.ts";
import { formatAddress } from "../../net/address.ts";
import { addressAt } from "../../net/cidr.ts";
import { instanceAfter, type Workload } from "../../nouns/application/workload.ts";
import { noneUnread } from "../../nouns/pool/configuration.ts";
import { subnetIdOf } from "../../nouns/pool/pool.ts";
import type { Holding } from "../allocations/holding.ts";
import { areEntriesYoung, ensureEntries } from "../allocations/index-entries.ts";
import { confirmBorrowedBlock } from "../blocks/borrowed-block.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
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
import { applicationFor, candidatesOf, unregistered } from "./family-requests.ts";
import { requesterOf } from "./requester.ts";

/** An instance that returns: its allocation, and what that holds. */
interface Returning {
  readonly workload: Workload;
  /** The allocation, which names the next host by now. */
  readonly seen: Allocation;
  /** It was read after the allocation, and a release writes the allocation first. */
  readonly held: readonly Holding[];
  /** True if the allocation named another host before. */
  readonly isMoved: boolean;
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
  { workload, seen, held, isMoved }: Returning,
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
  const { indexed: _, ...rest } = seen;
  const returned = await rewritten(context, indexed ? { ...rest, indexed } : rest, {
    state: "live",
    workload: instanceAfter(seen.workload, workload, fresh(context)),
    attributes,
    ...(request.assignedBy !== undefined && { assignedBy: request.assignedBy }),
    owners: new Map(),
    digest: request.digest,
  });
  // If this took long, the repair run may have deleted entries that the allocation did not list yet.
  if (returned && !areEntriesYoung(context, execution.startedAtMs))
    await ensureEntries(context, entriesOf(returned));
  return returned;
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
export const nameHost = (
  { context, request: { host } }: AssignExecution,
  seen: Allocation,
): Promise<Allocation | undefined> => rewritten(context, seen, { state: "kept", host });

async function rewritten(
  context: Context,
  seen: Allocation,
  change: Partial<Allocation>,
): Promise<Allocation | undefined> {
  const { store } = context;
  const next: Allocation = { ...seen, ...change, revision: fresh(context), atMs: context.now() };
  const result = await store.changeAllocation("instance-return", seen, next);
  const current =
    result.outcome === "unknown" ? await store.readAllocation(next.place) : result.item;
  return current?.revision === next.revision ? next : undefined;
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
 * Returns true if the addresses of the last incarnation are what the request asks for: as many of each family for each interface, from its
 * candidates before any filter, from blocks of the host if affinity is strict. Neither a reservation nor a disabled pool takes them away, as in
 * Spiderpool (docs/usage/statefulset.md).
 */
export async function isFit(
  { context, request }: AssignExecution,
  seen: Allocation,
  held: readonly Holding[],
): Promise<boolean> {
  const configuration = await configurationOf(context, request.space);
  const requester = await requesterOf(context, request, configuration);
  const mayServe = ({ part, block }: Holding): boolean => {
    const { family } = block.cidr;
    const pool = configuration.pools.find(
      (each) => subnetIdOf(each) === block.poolId && each.name === (part.pool ?? each.name),
    );
    // The addresses stay where they are until the pool can be read.
    if (!pool) noneUnread(configuration);
    if (pool?.state !== "active") return false;
    if (configuration.settings.strictAffinity && isBorrowed(request, part, block)) return false;
    const asked = interfacesOf(request).find((one) => one.interface === part.interface);
    if (!asked) return false;
    // An instance of an application has its addresses alone, and any other instance has none of them.
    const isOfApplication = applicationFor(asked, requester) !== undefined;
    if (isOfApplication !== (part.ofApplication === true)) return false;
    return candidatesOf(asked, configuration, requester, family).some(
      ({ name }) => name === pool.name,
    );
  };
  return (
    areAsked(request, held) &&
    held.every(mayServe) &&
    allocationBytes({ ...seen, attributes: request.attributes }) <= ALLOCATION_BYTES_MAX
  );
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
