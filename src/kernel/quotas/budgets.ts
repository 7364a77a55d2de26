import { Rejection } from "../../base/outcome.ts";
import {
  type Budget,
  type BudgetNamed,
  type BudgetPiece,
  type Charge,
  type Counted,
  piecesToTake,
  pieceUntilMs,
} from "../../nouns/quota/budget.ts";
import {
  type Quota,
  type QuotaSubject,
  quotaRejection,
  quotasFor,
} from "../../nouns/quota/quota.ts";
import { answer, compareAndSwap, RETRY } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { fresh } from "../values/fresh.ts";
import { copyOf, giveBack } from "./give-back.ts";

/**
 * Charges what a request is about to take to every quota that limits it, before its allocation is written (I21). A function spends the
 * pieces that it took of the budgets, and takes new ones by one write each. So a warm request reads nothing.
 *
 * @returns the charges for the allocation; or the rejection of a quota that allows no more, after which nothing is charged
 */
export async function charge(
  context: Context,
  { quotas, ...subject }: QuotaSubject & { readonly quotas: readonly Quota[] },
  { of, count }: { readonly of: Counted; readonly count: number },
): Promise<readonly Charge[] | Rejection> {
  const limiting = quotasFor(quotas, subject).filter((quota) => quota[of] !== undefined);
  const [first] = limiting;
  const charges: Charge[] = [];
  let isWhole = false;
  try {
    // One after the other, so that what one refuses takes nothing of those behind it.
    for (const quota of limiting) {
      const spent = await spend(context, quota, of, count);
      if (spent instanceof Rejection) return spent;
      charges.push(spent);
    }
    isWhole = true;
    return charges;
  } finally {
    // Not into the piece of this function, which may need no more of it for long.
    if (!isWhole && first) await giveBack(context, first.space, charges, count);
  }
}

/** Returns to a function what it charged and did not take. */
export async function unspend(
  context: Context,
  space: string,
  charges: readonly Charge[],
  count: number,
): Promise<void> {
  if (count <= 0) return;
  for (const each of charges) {
    const piece = context.cache.budgetPieces.get(copyOf({ space, ...each }));
    if (piece?.round === each.round) piece.left += count;
    else await giveBack(context, space, [each], count);
  }
}

async function spend(
  context: Context,
  quota: Quota,
  of: Counted,
  count: number,
): Promise<Charge | Rejection> {
  const { space, name } = quota;
  const { cache, store } = context;
  const max = quota[of] ?? 0;
  const named: BudgetNamed = { space, quota: name, of };
  const copy = copyOf(named);
  const nowMs = context.now();
  const piece = cache.budgetPieces.get(copy);
  const spent = spendOf(piece, count, max, nowMs);
  if (spent) return { quota: name, of, round: spent.round };
  cache.budgetPieces.delete(copy);
  if (piece && piece.left > 0)
    await giveBack(context, space, [{ quota: name, of, round: piece.round }], piece.left);
  let used = piece?.used ?? max;
  let size = piecesToTake(count, piece, { max, used, nowMs });
  const keep = async ({ round, used: usedThen }: Budget) => {
    // Another request of this function may have kept a piece meanwhile.
    const beside = cache.budgetPieces.get(copy);
    const isShared = beside?.round === round;
    cache.budgetPieces.set(copy, {
      round,
      untilMs: pieceUntilMs(nowMs),
      size: isShared ? Math.max(size, beside.size) : size,
      left: size - count + (isShared ? beside.left : 0),
      used: usedThen,
      max: isShared ? Math.max(max, beside.max) : max,
    });
    if (beside && !isShared && beside.left > 0)
      await giveBack(context, space, [{ quota: name, of, round: beside.round }], beside.left);
    return answer<Charge | Rejection>({ quota: name, of, round });
  };
  return compareAndSwap<Charge | Rejection>(`the ${of} of quota ${name}`, async () => {
    const taken = await store.takeOfBudget(named, size, max);
    if (taken.outcome === "done") return keep(taken.item);
    // A write without an answer may have counted it. Then the budget counts too much, until its round is over.
    if (taken.outcome === "unknown") return RETRY;
    used = taken.item?.used ?? 0;
    if (used + count > max) {
      const beside = spendOf(cache.budgetPieces.get(copy), count, max, nowMs);
      return answer<Charge | Rejection>(
        beside ? { quota: name, of, round: beside.round } : exceeded(quota, of, count),
      );
    }
    size = taken.item ? count : size;
    if (taken.item) return RETRY;
    const first: Budget = { ...named, round: fresh(context), roundAtMs: nowMs, used: size, old: 0 };
    const begun = await store.createBudget(first);
    return begun.outcome === "done" ? keep(begun.item) : RETRY;
  });
}

/** Spends from a piece. Returns the piece; nothing if it has too little, is over, or is of a time with a higher maximum. */
function spendOf(
  piece: BudgetPiece | undefined,
  count: number,
  max: number,
  nowMs: number,
): BudgetPiece | undefined {
  if (!piece || nowMs >= piece.untilMs || piece.left < count || piece.max > max) return undefined;
  piece.left -= count;
  return piece;
}

function exceeded(quota: Quota, of: Counted, count: number): Rejection {
  const reason = `, and has no room for ${count} more`;
  return quotaRejection("quota_exceeded", quota, of, reason, { requested: count });
}
