import type { Allocation } from "../../../domain/allocation.ts";
import type { Budget, BudgetNamed, Charge, Counted } from "../../../domain/budget.ts";
import { GRACE_MS } from "../../../domain/limits.ts";
import { ciliumPoolOfHandle, nodeOfHandle } from "../../../domain/node-handle.ts";
import { quotasFor } from "../../../domain/quota.ts";
import { configurationOf } from "../../core/configuration.ts";
import { type Context, fresh } from "../../core/context.ts";
import { giveBack } from "../../quotas/budgets.ts";

/** The budgets that a page of the walk has read. */
export class KnownBudgets {
  readonly #context: Context;
  readonly #budgets = new Map<string, Promise<Budget>>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Returns a budget, and begins one that is not there. */
  of(named: BudgetNamed): Promise<Budget> {
    const name = JSON.stringify([named.space, named.quota, named.of]);
    const known = this.#budgets.get(name) ?? this.#read(named);
    this.#budgets.set(name, known);
    return known;
  }

  async #read(named: BudgetNamed): Promise<Budget> {
    const { store, now } = this.#context;
    const found = await store.readBudget(named);
    if (found) return found;
    const first = { ...named, round: fresh(this.#context), roundAtMs: now(), used: 0, old: 0 };
    const begun = await store.createBudget(first);
    // After another outcome the round of `first` fits no budget, so nothing is charged to it.
    return begun.outcome === "lost" && begun.item ? begun.item : first;
  }
}

/**
 * Charges an allocation to the current rounds of the quotas that limit it, and to no others. A budget counts the allocation in its
 * round before the allocation names the round, so it never counts too little.
 *
 * @param seen eventually consistent; the write is conditional on its revision
 * @returns false if the allocation may still be charged to an earlier round
 */
export async function repairCharges(
  context: Context,
  seen: Allocation,
  budgets: KnownBudgets,
): Promise<boolean> {
  if (seen.parts.length === 0) return true;
  const { space } = seen.place;
  const { quotas } = await configurationOf(context, space);
  const of = countedAs(seen);
  const limiting = quotasFor(quotas, seen).filter((quota) => quota[of] !== undefined);
  if (limiting.length === 0 && seen.charges.length === 0) return true;
  const charges: Charge[] = [];
  for (const { name: quota } of limiting) {
    const { round } = await budgets.of({ space, quota, of });
    charges.push({ quota, of, round });
  }
  if (sameCharges(charges, seen.charges)) return true;
  // Its author may still be at work, and would lose it.
  if (context.now() - seen.atMs <= GRACE_MS) return false;
  const held = Math.max(0, seen.want - seen.released.size);
  for (const each of charges) {
    const budget = await budgets.of({ space, ...each });
    const earlier = seen.charges.find((one) => sameBudget(one, each));
    if (earlier?.round === each.round) continue;
    const isMove = earlier !== undefined && earlier.round === budget.before;
    const counted = isMove
      ? await context.store.moveCharge(budget, each.round, held)
      : await context.store.addCharge(budget, each.round, held);
    if (counted.outcome !== "done") return false;
  }
  const next: Allocation = { ...seen, charges, revision: fresh(context) };
  const written = await context.store.changeAllocation("recharge", seen, next);
  if (written.outcome !== "done") return false;
  const ended = seen.charges.filter((one) => !charges.some((each) => sameBudget(one, each)));
  await giveBack(context, space, ended, held);
  return true;
}

/** Returns what an allocation counts as: the prefix of a node, or addresses. */
const countedAs = ({ handle }: Allocation): Counted =>
  nodeOfHandle(handle) || ciliumPoolOfHandle(handle) ? "prefixes" : "addresses";

const sameBudget = (a: Charge, b: Charge): boolean => a.quota === b.quota && a.of === b.of;

const sameCharges = (a: readonly Charge[], b: readonly Charge[]): boolean =>
  a.length === b.length &&
  a.every((each) => b.some((one) => sameBudget(one, each) && one.round === each.round));
