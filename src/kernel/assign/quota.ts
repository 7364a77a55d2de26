import { Rejection } from "../../base/outcome.ts";
import { type Address, type Family, formatAddress, parseAddress } from "../../net/address.ts";
import { addressAt, contains, ordinalOf } from "../../net/cidr.ts";
import {
  blockReader,
  eachOnce,
  type Granted,
  grantedAt,
  type Holding,
  type ReadBlock,
} from "../allocations/holding.ts";
import {
  allocationPlaceOf,
  type FreeQuotaSlot,
  type OccupiedQuotaSlot,
} from "../allocations/quota-slots.ts";
import { answer, compareAndSwap, proceed, RETRY, type Step } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { endAsSeen, freeRest } from "../end/end.ts";
import { type Allocation, isExpired } from "../values/allocation.ts";
import { takenUnder } from "../values/block.ts";
import { fresh } from "../values/fresh.ts";
import { parseGeneration } from "../values/generation.ts";
import { nodeOfHandle } from "../values/handle.ts";
import { QUOTA_SLOTS_AT_ONCE } from "../values/limits.ts";
import type { QuotaSlot, QuotaSlotOfAllocation } from "../values/quota-slot.ts";
import { type AssignRequest, specificFor } from "./assignment.ts";
import { inProgress } from "./replay.ts";

/** The addresses that a limit permits a request: those that its handle has, and free quota slots for the others. */
export interface Allowance {
  readonly has: readonly Granted[];
  readonly free: readonly FreeQuotaSlot[];
}

/**
 * Applies the limit of a handle to a request, per family (Calico 1.3, MaxAllocToHandlePerIPVersion). If the limit has room for all
 * addresses, all are new. Otherwise the request gets those that the handle has, and new ones only for the rest. A specific address
 * that the handle has is returned again.
 *
 * @param known the quota slots of the handle as they were read a moment ago. A write of one that has changed since then fails
 * @returns what the limit permits; or a rejection: `request_in_progress` if another request of the handle runs, or `handle_limit`
 */
export async function allowanceOf(
  context: Context,
  request: AssignRequest,
  limit: number,
  known?: readonly OccupiedQuotaSlot[],
): Promise<Allowance | Rejection> {
  const occupied = known ?? (await occupiedOf(context, request));
  if (occupied instanceof Rejection) return occupied;
  const has: Granted[] = [];
  const free: FreeQuotaSlot[] = [];
  for (const { family, count } of request.wanted) {
    const mine = occupied.filter(({ quotaSlot }) => quotaSlot.family === family);
    const taken = mine.flatMap(({ granted }) => (granted ? [granted] : []));
    const specific = specificOf(request);
    const again = specific
      ? taken.filter((granted) => specific.some((address) => isOf(granted, address)))
      : taken.length + count > limit
        ? taken.slice(0, count)
        : [];
    has.push(...again);
    if (specific && taken.length + count - again.length > limit)
      return atTheLimit(request, family, taken.length, limit);
    free.push(...freeQuotaSlots(context, family, limit, mine).slice(0, count - again.length));
  }
  return { has, free };
}

const specificOf = ({ addresses, stated }: AssignRequest): readonly Address[] | undefined =>
  addresses ?? stated?.map((each) => each.address);

/**
 * Returns the addresses that a handle has through requests with a limit. It ends a request that a crash cut off, and no lease.
 *
 * @returns the addresses; or `request_in_progress` if another request of the handle runs
 */
export async function grantedUnderLimit(
  context: Context,
  of: Pick<AssignRequest, "space" | "handle">,
): Promise<readonly Granted[] | Rejection> {
  const occupied = await quotaSlotsUnderLimit(context, of);
  return occupied instanceof Rejection
    ? occupied
    : occupied.flatMap(({ granted }) => (granted ? [granted] : []));
}

/** Returns the quota slots of a handle with the addresses in them, as `grantedUnderLimit` does. */
export const quotaSlotsUnderLimit = (
  context: Context,
  of: Pick<AssignRequest, "space" | "handle">,
): Promise<readonly OccupiedQuotaSlot[] | Rejection> => occupiedOf(context, of, () => false);

/**
 * Reads the quota slots of a handle, by number. It ends a request that a crash cut off, as the repair run does.
 *
 * @param isEnded returns true for a live allocation that it ends as well; absent: one whose lease has ended, unless it is a node's.
 *   No clock alone takes a prefix from a known node (I18), so the repair run asks the reports of the node first
 */
async function occupiedOf(
  context: Context,
  { space, handle }: Pick<AssignRequest, "space" | "handle">,
  isEnded = (allocation: Allocation) =>
    isExpired(allocation, context.now()) && !nodeOfHandle(handle),
): Promise<readonly OccupiedQuotaSlot[] | Rejection> {
  type Occupied = readonly OccupiedQuotaSlot[] | Rejection;
  return compareAndSwap<Occupied>("the requests of this handle", async () => {
    // Quota slots are read before their allocations, which are written before them. So a quota slot without allocation is over.
    const quotaSlots = (await context.store.listQuotaSlots(space, handle)).toSorted(
      (a, b) => a.number - b.number,
    );
    if (quotaSlots.length === 0) return answer([]);
    const allocations = await allocationsOf(context, quotaSlots);
    const ofQuotaSlot = ({ revision }: QuotaSlot) =>
      allocations.find(({ quotaSlots: own }) =>
        own.some((quotaSlot) => quotaSlot.revision === revision),
      );
    const occupied = new Set(quotaSlots.flatMap((quotaSlot) => ofQuotaSlot(quotaSlot) ?? []));
    const settled = await endOldAllocations(context, [...occupied], isEnded);
    if (settled.kind !== "proceed") return settled;
    const readBlock = eachOnce(blockReader(context, space));
    const current = await inParallel(quotaSlots, QUOTA_SLOTS_AT_ONCE, async (quotaSlot) => {
      const allocation = ofQuotaSlot(quotaSlot);
      return {
        quotaSlot,
        granted: allocation && (await grantedIn(readBlock, allocation, quotaSlot)),
      };
    });
    return answer(current);
  });
}

/** Reads the allocations that quota slots name, each once. */
async function allocationsOf(
  { store }: Context,
  quotaSlots: readonly QuotaSlot[],
): Promise<readonly Allocation[]> {
  const places = new Map(
    quotaSlots.map(allocationPlaceOf).map((place) => [JSON.stringify(place), place]),
  );
  const allocations = await inParallel(
    [...places.values()],
    QUOTA_SLOTS_AT_ONCE,
    store.readAllocation,
  );
  return allocations.filter((allocation) => allocation !== undefined);
}

/**
 * Ends the allocations that are pending and old, or that have ended, so that no slot of the others changes any more. There
 * are at most `LIMIT_PER_HANDLE_MAX` of each family.
 *
 * @returns a rejection while another request runs; a retry after it ended one, because the quota slots of that one are free
 */
async function endOldAllocations(
  context: Context,
  allocations: readonly Allocation[],
  isEnded: (allocation: Allocation) => boolean,
): Promise<Step<Rejection, undefined>> {
  const left: Allocation[] = [];
  for (const allocation of allocations) {
    const young = allocation.state === "pending" && inProgress(context, allocation);
    if (young) return answer(young);
    if (allocation.state !== "live" || isEnded(allocation)) left.push(allocation);
  }
  await inParallel(left, QUOTA_SLOTS_AT_ONCE, async (allocation) => {
    if (allocation.state === "live" || allocation.state === "pending")
      await endAsSeen(context, "limit-end", allocation, "fenced later");
    else await freeRest(context, allocation, "fenced later");
  });
  return left.length > 0 ? RETRY : proceed(undefined);
}

/** Returns the addresses of other requests that the answer to a keyed request contained; nothing if one is not held any more. */
export async function grantedBy(
  context: Context,
  space: string,
  generations: readonly string[],
): Promise<readonly Granted[] | undefined> {
  const readBlock = blockReader(context, space);
  const found = await inParallel(generations, QUOTA_SLOTS_AT_ONCE, async (text) => {
    const generation = parseGeneration(text);
    if (!generation.ok) return undefined;
    const { handleHash, allocationId: id, keyed, address, token } = generation.value;
    const allocation = await context.store.readAllocation({ space, handleHash, id, keyed });
    const granted = allocation && (await grantedAt(readBlock, allocation, address));
    return granted?.held[0]?.part.token === token ? granted : undefined;
  });
  const granted = found.filter((each) => each !== undefined);
  return granted.length === found.length ? granted : undefined;
}

/** Returns true if these addresses are still held as they were read. A token is never used again, so they were held all the time. */
export async function areHeld(context: Context, granted: readonly Granted[]): Promise<boolean> {
  const [first] = granted;
  if (!first) return true;
  // All are of one handle, and so of one space.
  const readBlock = eachOnce(blockReader(context, first.allocation.place.space));
  const held = granted.flatMap((each) => each.held);
  const looks = await inParallel(held, QUOTA_SLOTS_AT_ONCE, async ({ part, ordinals }) => {
    const current = takenUnder(await readBlock(part.block), part.token);
    return ordinals.every((ordinal) => current.includes(ordinal));
  });
  return looks.every(Boolean);
}

/** Returns the quota slots of an allocation with their addresses, and the spare ones. */
export function quotaSlotsFor(allocation: Allocation, held: readonly Holding[]) {
  const spare: QuotaSlotOfAllocation[] = [];
  const addresses = held.flatMap(({ block, ordinals }) =>
    ordinals.map((ordinal) => addressAt(block.cidr, ordinal)),
  );
  const quotaSlots = allocation.quotaSlots.flatMap((quotaSlot) => {
    const at = addresses.findIndex(({ family }) => family === quotaSlot.family);
    const [address] = at < 0 ? [] : addresses.splice(at, 1);
    if (address) return [{ ...quotaSlot, address: formatAddress(address) }];
    spare.push(quotaSlot);
    return [];
  });
  return { quotaSlots, spare };
}

/** Returns the address of a quota slot if it is held. A live allocation takes no more slots, so an address that is not held stays so. */
async function grantedIn(
  readBlock: ReadBlock,
  allocation: Allocation,
  { revision }: QuotaSlot,
): Promise<Granted | undefined> {
  const text = allocation.quotaSlots.find((quotaSlot) => quotaSlot.revision === revision)?.address;
  const address = text === undefined ? undefined : parseAddress(text);
  if (!address?.ok) return undefined;
  return grantedAt(readBlock, allocation, address.value);
}

/** Returns the quota slots below the limit that are unused, or that only ended requests have. */
function freeQuotaSlots(
  context: Context,
  family: Family,
  limit: number,
  occupied: readonly OccupiedQuotaSlot[],
): FreeQuotaSlot[] {
  const numbers = Array.from({ length: limit }, (_, number) => number);
  return numbers.flatMap((number): FreeQuotaSlot[] => {
    const there = occupied.find(({ quotaSlot }) => quotaSlot.number === number);
    if (there?.granted) return [];
    return [{ quotaSlot: { family, number, revision: fresh(context) }, seen: there?.quotaSlot }];
  });
}

const isOf = ({ held }: Granted, address: Address): boolean =>
  held.some(
    ({ block, ordinals }) =>
      contains(block.cidr, address) && ordinals.includes(ordinalOf(block.cidr, address)),
  );

function atTheLimit(
  request: AssignRequest,
  family: Family,
  count: number,
  limit: number,
): Rejection {
  const { handle } = request;
  const address = specificFor(request, family);
  const asked = address ? `, and may not have ${formatAddress(address)} as well` : "";
  return new Rejection(
    "handle_limit",
    `Handle ${handle} has ${count} of at most ${limit} IPv${family} addresses (limitPerHandle)${asked}.`,
    { handle, addresses: count, limitPerHandle: limit },
  );
}
