import { anyLane, type Budget, type BudgetNamed, type Charge } from "../../nouns/quota/budget.ts";
import { asHint } from "../core/bounded-work.ts";
import { answer, RETRY, untilAnswered } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { awaitAll } from "../core/parallel.ts";
import type { GivingBack } from "../core/warm-cache.ts";
import { fresh } from "../values/fresh.ts";
import { SWAP_TRIES_MAX } from "../values/limits.ts";

/**
 * Gives back what was charged, after it was freed or will never be taken. It counts once, also if the write is delivered again. A write
 * without an answer is not repeated, and what it lost goes with the round. Parallel calls for one budget share a write.
 */
export async function giveBack(
  context: Context,
  space: string,
  charges: readonly Charge[],
  count: number,
): Promise<void> {
  await awaitAll(
    ...charges.map(({ quota, of, round }) =>
      asHint(() => inTurn(context, { space, quota, of }, round, count)),
    ),
  );
}

/** Returns the name of a budget in the memory of a function. */
export const copyOf = ({ space, quota, of }: BudgetNamed): string => `${space}#${quota}#${of}`;

/** Gives back after the write that is under way, together with all that waits for the same. */
function inTurn(
  context: Context,
  budget: BudgetNamed,
  round: string,
  count: number,
): Promise<void> {
  const own = givingBackTo(context, budget);
  const waiting = own.waiting.get(round);
  if (waiting) {
    waiting.count += count;
    return waiting.given;
  }
  const given = own.underWay.then(() => {
    const total = own.waiting.get(round)?.count ?? count;
    own.waiting.delete(round);
    return write(context, budget, { round, count: total }, own);
  });
  own.waiting.set(round, { count, given });
  own.underWay = given.catch(() => undefined);
  return given;
}

function givingBackTo(context: Context, budget: BudgetNamed): GivingBack {
  const { givingBack } = context.cache;
  const known = givingBack.get(copyOf(budget));
  if (known) return known;
  const place = anyLane({}, context.random.fraction());
  const made: GivingBack = {
    place,
    name: fresh(context),
    marks: 0,
    underWay: Promise.resolve(),
    waiting: new Map(),
  };
  givingBack.set(copyOf(budget), made);
  return made;
}

async function write(
  { store, random }: Context,
  budget: BudgetNamed,
  { round, count }: { readonly round: string; readonly count: number },
  own: GivingBack,
): Promise<void> {
  const mark = `${own.name}.${own.marks++}`;
  let isOld = false;
  await untilAnswered(TRIES, async () => {
    const { place } = own;
    const given = isOld
      ? await store.giveBackOld(budget, round, count, { ...place, mark })
      : await store.giveBack(budget, round, count, { ...place, mark });
    // If it lands after all, the next write finds another mark than it expects, and goes to another lane.
    if (given.outcome === "unknown") return answer(undefined);
    const { item } = given;
    if (given.outcome === "done" || item?.lanes?.[place.lane] === mark) {
      own.place = { lane: place.lane, seen: mark };
      return answer(undefined);
    }
    if (!item || !isOpen(item, round)) return answer(undefined);
    const { lanes = {} } = item;
    if (lanes[place.lane] !== place.seen) own.place = anyLane(lanes, random.fraction());
    isOld = item.round !== round;
    return RETRY;
  });
}

/** Returns true if a budget still counts what was charged to a round. */
const isOpen = ({ round, before }: Budget, charged: string): boolean =>
  round === charged || before === charged;

/** The tries of a give-back. A charge that is not given back after them goes with its round. */
const TRIES = { triesMax: SWAP_TRIES_MAX, exhausted: () => undefined };
