import type { AssignmentRecord } from "../../domain/allocation.ts";
import { ASSIGN_ROUNDS_MAX, REQUEST_MS_MAX } from "../../domain/limits.ts";
import {
  Contended,
  isCutShort,
  Refusal,
  together,
  Unavailable,
  Unreadable,
  unlessUnreadable,
} from "../../domain/outcome.ts";
import { dropSeats } from "../allocations/quota-slots.ts";
import { stamp } from "../allocations/write-allocation.ts";
import { configurationOf } from "../core/configuration.ts";
import { type Context, fresh } from "../core/context.ts";
import { allOf } from "../core/parallel.ts";
import {
  type Assignment,
  type AssignRequest,
  assignment,
  type Shortage,
  totalOf,
} from "./assignment.ts";
import { giveUp, isSettled, settleEarlier } from "./earlier-execution.ts";
import {
  type Attempt,
  attemptAt,
  grantedTo,
  recordOf,
  shortfall,
  startOver,
  times,
  unservedOf,
  withdraw,
} from "./execution.ts";
import { wishesOf } from "./family-requests.ts";
import { allowanceOf, areHeld, seatsFor } from "./quota.ts";
import { placesOfHost, requesterOf } from "./requester.ts";
import { pickAddress } from "./select-address.ts";
import { pickAny } from "./select-slots.ts";
import { countOf, type Picker, type Wish } from "./selection.ts";
import { takeAll } from "./take-selection.ts";

/**
 * Assigns addresses: learn blocks → put the record → take the slots. What one slot write serves has a record that is `live`
 * at once: two writes, and no read when the function is warm. What needs more has a head (rule 7): its record is `open`
 * and names every part before that part's block is touched, and nobody is answered before it is `live`. What a crash
 * leaves at any point is a record that the collector ends (I3).
 *
 * @returns the addresses, all of them or none unless partial is allowed; or why not. Throws `Contended`, or what
 *   cuts it short: nothing is held then, or the same Idempotency-Key, or the collector, finds it.
 */
export async function assign(
  context: Context,
  request: AssignRequest,
): Promise<Assignment | Refusal> {
  const attempt = attemptAt(context, request);
  try {
    return await answered(attempt);
  } catch (error) {
    throw await settledError(attempt, error);
  }
}

/** A refusal that came from what an earlier execution held, and gave back only then, is not told: the walk begins again. */
async function answered(attempt: Attempt): Promise<Assignment | Refusal> {
  for (let round = 0; round < ASSIGN_ROUNDS_MAX; round++) {
    const answer = await unlessUnreadable(attempted(attempt));
    const isNo = answer instanceof Refusal || answer instanceof Unreadable;
    const told = isNo ? await giveUp(attempt, answer) : answer;
    if (told instanceof Unreadable) throw told;
    if (told) return told;
  }
  throw new Contended(`this request was begun again by others in ${ASSIGN_ROUNDS_MAX} rounds`);
}

async function attempted(attempt: Attempt): Promise<Assignment | Refusal> {
  const known = await learn(attempt);
  if (known instanceof Refusal) return known;
  const { earlier } = known;
  const isNew = earlier && !isSettled(attempt, earlier);
  return (isNew && (await settleEarlier(attempt, earlier))) || walk(attempt, known);
}

/**
 * What a walk that was cut short leaves: contention is a settled outcome, so what is held goes back at once; after any
 * other, what is held, or may be, can be given back by its handle, also where we made that up.
 */
async function settledError(attempt: Attempt, error: unknown): Promise<unknown> {
  let cause = error;
  try {
    if (error instanceof Contended) await withdraw(attempt);
  } catch (thrown) {
    cause = thrown;
  }
  if (isCutShort(cause)) cause.handle = attempt.request.handle;
  return cause;
}

async function walk(
  attempt: Attempt,
  { wishes, pick, unserved }: Learned,
): Promise<Assignment | Refusal> {
  attempt.unserved = unserved;
  for (let round = 0; round < ASSIGN_ROUNDS_MAX; round++) {
    const limited = await holdToLimit(attempt);
    if (limited) return limited;
    const missing = shortfall(attempt, wishes);
    const picks = missing.length > 0 ? await pick(missing) : [];
    const got = grantedTo(attempt).reduce((sum, { held }) => sum + countOf(held), 0);
    if (picks instanceof Refusal && (!attempt.request.allowPartial || got === 0))
      return unserved ? together(picks, unserved) : picks;
    // A late author, whose configuration may be too old, ends here. What it picked before stood before: whoever looks at the
    // range later than any author may come this far sees the block, or it is gone, and then its epoch is too. Who has all
    // that is wanted answers, however late: its record may be live, and another execution of the request answered with it.
    const taking = !(picks instanceof Refusal) && picks.length > 0;
    if (taking && attempt.context.now() - attempt.startedAtMs > REQUEST_MS_MAX)
      throw new Contended("the request took longer than a function may live");
    const told =
      picks instanceof Refusal
        ? await conclude(attempt, shortageOf(attempt, got, picks))
        : picks.length === 0
          ? await conclude(attempt, shortageOf(attempt, got))
          : await takeAll(attempt, picks, countOf(picks) === totalOf(wishes));
    if (told) return told;
  }
  throw new Contended(`no blocks could be settled on in ${ASSIGN_ROUNDS_MAX} rounds`);
}

/** Why there are only so many addresses: what no pool serves, and what `refusal` says of the others. */
function shortageOf(attempt: Attempt, got: number, refusal?: Refusal): Shortage {
  const unserved = unservedOf(attempt);
  const details = [unserved.length > 0 && attempt.unserved, refusal].flatMap((each) =>
    each ? [each.detail] : [],
  );
  const short = `${got} of ${totalOf(attempt.request.wanted)} addresses are assigned.`;
  return {
    messages: details.length > 0 ? [[short, ...details].join(" ")] : [],
    missing: [...unserved, ...(refusal?.members.missing ?? [])],
  };
}

/** Learns what the limit of its handle leaves a request that has one. */
async function holdToLimit(attempt: Attempt): Promise<Refusal | undefined> {
  const { context, request, allowance } = attempt;
  if (request.limitPerHandle === undefined || allowance) return undefined;
  const found = await allowanceOf(context, request, request.limitPerHandle);
  if (found instanceof Refusal) return found;
  attempt.allowance = found;
  return undefined;
}

/**
 * All is taken: a head becomes live, and only then is there an answer (rule 7).
 *
 * @returns nothing if the request is to be begun again: an earlier execution stood in the way, and is over, or an address that
 *   its handle had was released meanwhile
 */
async function conclude(
  attempt: Attempt,
  shortage: Shortage,
): Promise<Assignment | Refusal | undefined> {
  const { context, request, mine, held, allowance } = attempt;
  const has = allowance?.has ?? [];
  // They were seen a while ago, and one after the other: seen again, all were held at one moment between.
  if (!(await areHeld(context, has))) {
    await withdraw(attempt);
    startOver(attempt);
    return undefined;
  }
  if (!mine) return repeat(attempt, shortage);
  const answer = (record: AssignmentRecord) =>
    assignment([...has, { record, held }], request, shortage);
  if (mine.state === "live") return answer(mine);
  const { seats, spare } = seatsFor(mine, held);
  // What is not there is not wanted any more: a repeat is told the same.
  const next: AssignmentRecord = {
    ...mine,
    ...times(context, request),
    state: "live",
    want: countOf(held),
    missing: shortage.missing,
    seats,
    revision: fresh(context),
  };
  const written = await context.store.changeRecord("head-live", mine, next);
  const standing =
    written.outcome === "unknown" ? await context.store.readRecord(mine.place) : written.item;
  if (standing?.revision === next.revision) {
    await dropSeats(context, mine, spare);
    return answer(next);
  }
  // It may land yet, and then the addresses are this request's: whoever comes next under its key finds out.
  if (written.outcome === "unknown" && standing?.revision === mine.revision)
    throw new Unavailable("the database did not say whether the request was completed");
  throw new Contended("this request was ended by somebody else while it was carried out");
}

/** All that is asked for the handle has by other requests: a key remembers which, and nothing else is written. */
async function repeat(
  attempt: Attempt,
  shortage: Shortage,
): Promise<Assignment | Refusal | undefined> {
  const { context, request, place, seen, allowance } = attempt;
  const answer = assignment(allowance?.has ?? [], request, shortage);
  if (!place.keyed) return answer;
  const { missing } = shortage;
  const record: AssignmentRecord = {
    ...recordOf(attempt, [], "live"),
    want: 0,
    missing,
    seats: [],
  };
  const stamped = await stamp(context, seen, record);
  if (stamped.kind === "mine") return answer;
  startOver(attempt);
  return settleEarlier(attempt, stamped.record);
}

interface Learned {
  readonly wishes: readonly Wish[];
  readonly pick: Picker;
  /** Why no pool serves one of its families, where less than was asked for will do. */
  readonly unserved?: Refusal | undefined;
  /** What stands under the request's key. */
  readonly earlier: AssignmentRecord | undefined;
}

/**
 * All that is read before anything is written. A function that remembers blocks of the host reads nothing here, but for a request
 * with a limit: that counts what its handle has, and ends there what was cut off, its own earlier execution too.
 */
async function learn({ context, request, place }: Attempt): Promise<Learned | Refusal> {
  const { space, host, address, limitPerHandle } = request;
  const { store } = context;
  const warm = !address && context.memory.blocksOf(space, host).length > 0;
  const isLooked = place.keyed && (!warm || limitPerHandle !== undefined);
  // What the last copy asked of labels, this one will mostly ask as well: they are read beside it, and remembered.
  const last = context.memory.configurationOf(space)?.configuration;
  const [configuration, places, earlier] = await allOf(
    configurationOf(context, space),
    warm || address ? undefined : placesOfHost(context, space, host),
    isLooked ? store.readRecord(place) : undefined,
    last && requesterOf(context, request, last),
  );
  const requester = await requesterOf(context, request, configuration);
  const wanted = wishesOf(request, configuration, requester);
  if (wanted instanceof Refusal) return wanted;
  const pick = address ? pickAddress(context, address) : pickAny(context, places);
  return { ...wanted, pick, earlier };
}
