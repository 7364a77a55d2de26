import { type Address, type Family, formatAddress, parseAddress } from "../../domain/address.ts";
import { type AssignmentRecord, isExpired } from "../../domain/allocation.ts";
import { heldBy } from "../../domain/block.ts";
import { addressAt, contains, ordinalOf } from "../../domain/cidr.ts";
import { parseGeneration } from "../../domain/generation.ts";
import { SEATS_AT_ONCE, SWAP_TRIES_MAX } from "../../domain/limits.ts";
import { Contended, Refusal } from "../../domain/outcome.ts";
import type { Seat, SeatOfRecord } from "../../domain/quota-slot.ts";
import { endAsSeen, finish } from "../allocations/close-allocation.ts";
import { type Granted, grantedAt, type Holding } from "../allocations/holding.ts";
import { type FreeSeat, recordPlaceOf } from "../allocations/quota-slots.ts";
import { inProgress } from "../allocations/replay.ts";
import { type Context, fresh } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import type { AssignRequest } from "./assignment.ts";

/** What a limit leaves a request: addresses that its handle has already, and seats for the others. */
export interface Allowance {
  readonly has: readonly Granted[];
  readonly free: readonly FreeSeat[];
}

/**
 * Holds a request against the limit of its handle, per family (Calico 1.3, MaxAllocToHandlePerIPVersion): as many new
 * addresses as it asks for where the limit has room for them; else those that the handle has, and new ones only for what
 * is missing. A specific address is answered again if the handle has it.
 *
 * @returns what it is left; or `request_in_progress` when another request of the handle is under way, `handle_limit`
 */
export async function allowanceOf(
  context: Context,
  request: AssignRequest,
  limit: number,
): Promise<Allowance | Refusal> {
  const seated = await seatedOf(context, request);
  if (seated instanceof Refusal) return seated;
  const has: Granted[] = [];
  const free: FreeSeat[] = [];
  for (const { family, count } of request.wanted) {
    const mine = seated.filter(({ seat }) => seat.family === family);
    const taken = mine.flatMap(({ granted }) => (granted ? [granted] : []));
    const again = request.address
      ? taken.filter((granted) => isOf(granted, request.address as Address))
      : taken.length + count > limit
        ? taken.slice(0, count)
        : [];
    has.push(...again);
    if (request.address && again.length === 0 && taken.length >= limit)
      return atTheLimit(request, family, taken.length, limit);
    free.push(...freeSeats(context, family, limit, mine).slice(0, count - again.length));
  }
  return { has, free };
}

/** A seat that is taken, and the address in it; none when its request is over, so that it may be taken over as it was seen. */
interface Seated {
  readonly seat: Seat;
  readonly granted: Granted | undefined;
}

/** The seats of a handle by number. A request that is cut short is ended here, as the collector would. */
async function seatedOf(
  context: Context,
  { space, handle }: AssignRequest,
): Promise<readonly Seated[] | Refusal> {
  for (let attempt = 0; attempt < SWAP_TRIES_MAX; attempt++) {
    // The seats before their records: a record stands before its seat does, so one that is not found is over.
    const seats = (await context.store.listSeats(space, handle)).toSorted(
      (a, b) => a.number - b.number,
    );
    if (seats.length === 0) return [];
    const records = await recordsOf(context, seats);
    const ofSeat = ({ revision }: Seat) =>
      records.find(({ seats: own }) => own.some((seat) => seat.revision === revision));
    const seated = new Set(seats.flatMap((seat) => ofSeat(seat) ?? []));
    const settled = await settleAll(context, [...seated]);
    if (settled instanceof Refusal) return settled;
    if (settled === "ended") continue;
    return inParallel(seats, SEATS_AT_ONCE, async (seat) => {
      const record = ofSeat(seat);
      return { seat, granted: record && (await grantedIn(context, record, seat)) };
    });
  }
  throw new Contended("the requests of this handle kept changing while they were counted");
}

/** The records that seats name, each once. */
async function recordsOf(
  { store }: Context,
  seats: readonly Seat[],
): Promise<readonly AssignmentRecord[]> {
  const places = new Map(seats.map(recordPlaceOf).map((place) => [JSON.stringify(place), place]));
  const records = await inParallel([...places.values()], SEATS_AT_ONCE, store.readRecord);
  return records.filter((record) => record !== undefined);
}

/**
 * Makes sure that the slots of all records are as they will stay: each that is open and old, or has run out, is ended. There are
 * `LIMIT_PER_HANDLE_MAX` of each family at most.
 */
async function settleAll(
  context: Context,
  records: readonly AssignmentRecord[],
): Promise<Refusal | "stand" | "ended"> {
  const left: AssignmentRecord[] = [];
  for (const record of records) {
    const young = record.state === "open" && inProgress(context, record);
    if (young) return young;
    if (record.state !== "live" || isExpired(record, context.now())) left.push(record);
  }
  await inParallel(left, SEATS_AT_ONCE, async (record) => {
    if (record.state === "live" || record.state === "open")
      await endAsSeen(context, "limit-end", record, "fenced later");
    else await finish(context, record, "fenced later");
  });
  return left.length > 0 ? "ended" : "stand";
}

/** The addresses that a keyed request was answered with although other requests hold them; nothing if one is held no more. */
export async function grantedBy(
  context: Context,
  space: string,
  generations: readonly string[],
): Promise<readonly Granted[] | undefined> {
  const found = await inParallel(generations, SEATS_AT_ONCE, async (text) => {
    const generation = parseGeneration(text);
    if (!generation.ok) return undefined;
    const { handleHash, recordId: id, keyed, address, token } = generation.value;
    const record = await context.store.readRecord({ space, handleHash, id, keyed });
    const granted = record && (await grantedAt(context, record, address));
    return granted?.held[0]?.part.token === token ? granted : undefined;
  });
  const granted = found.filter((each) => each !== undefined);
  return granted.length === found.length ? granted : undefined;
}

/** Are these addresses still held as they were? A token never comes back, so one that is was held all the while. */
export async function areHeld(context: Context, granted: readonly Granted[]): Promise<boolean> {
  const all = granted.flatMap(({ record, held }) => held.map((each) => ({ record, ...each })));
  const looks = await inParallel(all, SEATS_AT_ONCE, async ({ record, part, ordinals }) => {
    const block = await context.store.readBlock(record.place.space, part.block);
    const standing = heldBy(block, part.token);
    return ordinals.every((ordinal) => standing.includes(ordinal));
  });
  return looks.every(Boolean);
}

/** The seats of a record with the addresses that are in them, and those that are left over. */
export function seatsFor(record: AssignmentRecord, held: readonly Holding[]) {
  const spare: SeatOfRecord[] = [];
  const addresses = held.flatMap(({ block, ordinals }) =>
    ordinals.map((ordinal) => addressAt(block.cidr, ordinal)),
  );
  const seats = record.seats.flatMap((seat) => {
    const at = addresses.findIndex(({ family }) => family === seat.family);
    const [address] = at < 0 ? [] : addresses.splice(at, 1);
    if (address) return [{ ...seat, address: formatAddress(address) }];
    spare.push(seat);
    return [];
  });
  return { seats, spare };
}

/** The address of a seat, if it is still held: a live head takes no more slots, so one that is not held is free for good. */
async function grantedIn(
  context: Context,
  record: AssignmentRecord,
  { revision }: Seat,
): Promise<Granted | undefined> {
  const text = record.seats.find((seat) => seat.revision === revision)?.address;
  const address = text === undefined ? undefined : parseAddress(text);
  if (!address?.ok) return undefined;
  return grantedAt(context, record, address.value);
}

/** Seats below the limit that nobody has, or only requests that are over. */
function freeSeats(
  context: Context,
  family: Family,
  limit: number,
  seated: readonly Seated[],
): FreeSeat[] {
  const numbers = Array.from({ length: limit }, (_, number) => number);
  return numbers.flatMap((number): FreeSeat[] => {
    const there = seated.find(({ seat }) => seat.number === number);
    if (there?.granted) return [];
    return [{ seat: { family, number, revision: fresh(context) }, seen: there?.seat }];
  });
}

const isOf = ({ held }: Granted, address: Address): boolean =>
  held.some(
    ({ block, ordinals }) =>
      contains(block.cidr, address) && ordinals.includes(ordinalOf(block.cidr, address)),
  );

function atTheLimit(
  { handle, address }: AssignRequest,
  family: Family,
  count: number,
  limit: number,
): Refusal {
  const asked = address ? ` and may not have ${formatAddress(address)} as well` : "";
  return new Refusal(
    "handle_limit",
    `Handle ${handle} has ${count} IPv${family} addresses${asked} (limitPerHandle ${limit}).`,
    { handle, addresses: count, limitPerHandle: limit },
  );
}
