import { GRACE_MS, SHARDS } from "../../base/limits.ts";
import { answer, compareAndSwap, RETRY } from "../../kernel/core/compare-and-swap.ts";
import { type Context, fresh } from "../../kernel/core/context.ts";
import { hasWalked } from "../../kernel/values/sweep.ts";
import { quotaNamed } from "../../nouns/pool/configuration.ts";
import { type Budget, isRoundOver, nextRound, settledMs } from "../../nouns/quota/budget.ts";

/**
 * Begins the next round of a budget, when the walks over all segments of the table have charged everything to the current one. What
 * is left of the round before was counted too much. Deletes the budget of a quota that is gone.
 *
 * @returns whether it was deleted
 */
export async function repairBudget(context: Context, found: Budget): Promise<boolean> {
  const { store } = context;
  const { space, quota, of } = found;
  if (context.now() - found.roundAtMs < GRACE_MS) return false;
  if (quotaNamed(await store.readSpace(space), quota)?.[of] === undefined) {
    await store.deleteBudget(found);
    return true;
  }
  if (!isRoundOver(found, context.now()) || !(await allMet(context, found))) return false;
  return compareAndSwap(`the ${of} of quota ${quota}`, async () => {
    const seen = await store.readBudget(found);
    if (seen?.round !== found.round) return answer(false);
    const turned = await store.turnBudget(seen, nextRound(seen, fresh(context), context.now()));
    return turned.outcome === "done" ? answer(false) : RETRY;
  });
}

async function allMet({ store }: Context, budget: Budget): Promise<boolean> {
  for (let shard = 0; shard < SHARDS; shard++) {
    const progress = await store.readProgress(shard);
    const { chargedFromMs: fromMs, chargedBut: but } = progress ?? {};
    if (!hasWalked({ fromMs, but }, budget.space, settledMs(budget))) return false;
  }
  return true;
}
