import { GRACE_MS } from "../../base/limits.ts";
import type { Outcome } from "../../base/outcome.ts";
import { holdingsOf } from "../../kernel/allocations/holding.ts";
import { slotCount } from "../../kernel/assign/selection.ts";
import { configurationOf } from "../../kernel/core/configuration.ts";
import type { Context } from "../../kernel/core/context.ts";
import { giveBack } from "../../kernel/quotas/give-back.ts";
import { type Allocation, changedAtMs, isHolding } from "../../kernel/values/allocation.ts";
import type { Block } from "../../kernel/values/block.ts";
import { fresh } from "../../kernel/values/fresh.ts";
import { ciliumPoolOfHandle, handleOfPrefixes, nodeOfHandle } from "../../kernel/values/handle.ts";
import { blockChargeOf, claimantOf } from "../../nouns/quota/block-charge.ts";
import type { Budget, BudgetNamed, Charge, Counted } from "../../nouns/quota/budget.ts";
import { type QuotaSubject, quotasFor } from "../../nouns/quota/quota.ts";

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
 * Charges an allocation to the current rounds of the quotas that limit it, and to no others.
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
  const { place, charges } = seen;
  // Its author may still be at work, and would lose it.
  const isLeft = () => context.now() - changedAtMs(seen) <= GRACE_MS;
  return recharge(context, budgets, {
    ...{ space: place.space, subject: seen, charges, isLeft },
    ...{ of: countedAs(seen), countNow: () => countIn(context, seen) },
    // Without a key no release marks it first, and what is marked is freed without another mark.
    isMarkedFirst: place.keyed && seen.released.size === 0,
    write: (next) =>
      context.store.changeAllocation("recharge", seen, {
        ...seen,
        charges: next,
        revision: fresh(context),
      }),
  });
}

/**
 * Charges a block of a host to the current rounds of the quotas that limit the caller that claimed it, and to no others.
 *
 * @param seen eventually consistent; the write is conditional on its revision
 * @returns false if the block may still be charged to an earlier round
 */
export async function repairBlockCharge(
  context: Context,
  seen: Block,
  budgets: KnownBudgets,
): Promise<boolean> {
  // Nobody claimed a block that all hosts share. A disowned block counts until it is gone.
  if (seen.host === undefined && !seen.charge) return true;
  const subject = claimantOf(seen.charge);
  return recharge(context, budgets, {
    ...{ space: seen.space, subject, charges: seen.charge?.charges ?? [], of: "blocks" },
    countNow: async () => 1,
    isMarkedFirst: true,
    isLeft: () => false,
    write: (next) => {
      const charge = next.length > 0 ? blockChargeOf(subject, next) : undefined;
      return context.store.rechargeBlock(seen, charge, fresh(context));
    },
  });
}

/** An item that budgets count. */
interface ChargedItem {
  readonly space: string;
  readonly subject: QuotaSubject;
  readonly charges: readonly Charge[];
  readonly of: Counted;
  /** True if the item changes before anything of it is freed, so that a write of it as it was seen shows that nothing was. */
  readonly isMarkedFirst: boolean;
  /** Returns the number of addresses, prefixes or blocks that it is. */
  countNow(): Promise<number>;
  /** Returns true if another walk has to charge it. */
  isLeft(): boolean;
  /** Writes other charges, if the item is as it was seen. */
  write(charges: readonly Charge[]): Promise<Outcome<unknown>>;
}

/** A budget counts an item in its round before the item names the round, so it never counts too little. */
async function recharge(
  context: Context,
  budgets: KnownBudgets,
  { space, subject, charges: seen, of, isMarkedFirst, countNow, isLeft, write }: ChargedItem,
): Promise<boolean> {
  const { store } = context;
  const { quotas } = await configurationOf(context, space);
  const limiting = quotasFor(quotas, subject).filter((quota) => quota[of] !== undefined);
  if (limiting.length === 0 && seen.length === 0) return true;
  const charges: Charge[] = [];
  for (const { name: quota } of limiting) {
    const { round } = await budgets.of({ space, quota, of });
    charges.push({ quota, of, round });
  }
  if (sameCharges(charges, seen)) return true;
  if (isLeft()) return false;
  const count = await countNow();
  for (const each of charges) {
    const budget = await budgets.of({ space, ...each });
    const earlier = seen.find((one) => sameBudget(one, each));
    if (earlier?.round === each.round) continue;
    const isMove = earlier !== undefined && earlier.round === budget.before;
    const counted = isMove
      ? await store.moveCharge(budget, each.round, count)
      : await store.addCharge(budget, each.round, count);
    if (counted.outcome !== "done") return false;
  }
  const written = await write(charges);
  if (written.outcome !== "done") return false;
  const ended = seen.filter((one) => !charges.some((each) => sameBudget(one, each)));
  // A release may have given it back meanwhile. To give it back twice would count too little, so it goes with the round.
  if (isMarkedFirst) await giveBack(context, space, ended, count);
  return true;
}

/**
 * Returns how many addresses or prefixes an allocation counts as: those that it visibly holds. One that shows none counts as all that it
 * asked for, because its author may still take them.
 */
async function countIn(context: Context, seen: Allocation): Promise<number> {
  const { place, state, want, released } = seen;
  const asked = Math.max(0, want - released.size);
  const isWhole = place.keyed ? released.size === 0 : want === 1;
  // The last release marks it as released before it frees the slot.
  if (isWhole || !(isHolding(seen) || state === "released")) return asked;
  return slotCount(await holdingsOf(context, seen)) || asked;
}

/** Returns what an allocation counts as: a prefix, or addresses. */
const countedAs = ({ handle }: Allocation): Counted =>
  nodeOfHandle(handle) || ciliumPoolOfHandle(handle) || handleOfPrefixes(handle) !== undefined
    ? "prefixes"
    : "addresses";

const sameBudget = (a: Charge, b: Charge): boolean => a.quota === b.quota && a.of === b.of;

const sameCharges = (a: readonly Charge[], b: readonly Charge[]): boolean =>
  a.length === b.length &&
  a.every((each) => b.some((one) => sameBudget(one, each) && one.round === each.round));
