import { GIVE_BACK_LANES } from "../../base/limits.ts";
import type { Outcome } from "../../base/outcome.ts";
import { idOf } from "../../table/attribute.ts";
import { absent, atMost, type Clause, equals } from "../../table/clause.ts";
import { codec, type FlatForm, id, number, optional, under, withItem } from "../../table/codec.ts";
import { budgetKey, partsOf } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import {
  assertBudget,
  type Budget,
  type BudgetNamed,
  COUNTED,
  type GiveBackMark,
  type Lanes,
} from "./budget.ts";

/** The calls for what is assigned under quotas. Each method is one call to the database. */
export function budgetItems(table: Table) {
  const add = (used: number, old = 0) =>
    ({
      kind: "update",
      add: [[["used"], used], ...(old === 0 ? [] : ([[["old"], old]] as const))],
    }) as const;
  return {
    async readBudget(of: BudgetNamed): Promise<Budget | undefined> {
      const item = await table.get(budgetKey(of));
      return item && budgetFrom(item);
    },

    /** Takes some of what is left of a budget, in whatever round it is. */
    async takeOfBudget(of: BudgetNamed, count: number, max: number): Promise<Outcome<Budget>> {
      const outcome = await table.write({
        step: "take-budget",
        key: budgetKey(of),
        when: [atMost("take-budget-left", max - count, "used")],
        change: add(count),
      });
      return withItem(outcome, budgetFrom);
    },

    async createBudget(budget: Budget): Promise<Outcome<Budget>> {
      const item = BUDGET.item(budget);
      const when = [absent("budget-absent", "pk")];
      const change = { kind: "put", item } as const;
      return withItem(
        await table.write({ step: "begin-budget", key: item, when, change }),
        budgetFrom,
      );
    },

    /** Counts less of the current round, after it was freed. Nothing happens in another round, or a second time. */
    async giveBack(
      of: BudgetNamed,
      round: string,
      count: number,
      mark: GiveBackMark,
    ): Promise<Outcome<Budget>> {
      const outcome = await table.write({
        step: "give-back",
        key: budgetKey(of),
        when: [equals("give-back-round", round, "round"), expected("give-back-mark", mark)],
        change: { ...add(-count), ...marked(mark) },
      });
      return withItem(outcome, budgetFrom);
    },

    /** Counts less of the round before, after it was freed. Nothing happens a second time. */
    async giveBackOld(
      of: BudgetNamed,
      before: string,
      count: number,
      mark: GiveBackMark,
    ): Promise<Outcome<Budget>> {
      const outcome = await table.write({
        step: "give-back-old",
        key: budgetKey(of),
        when: [equals("give-back-before", before, "before"), expected("give-back-old-mark", mark)],
        change: { ...add(-count, -count), ...marked(mark) },
      });
      return withItem(outcome, budgetFrom);
    },

    /** Counts what an allocation holds in the current round, before the allocation names it. It was counted in the round before. */
    async moveCharge(of: BudgetNamed, round: string, count: number): Promise<Outcome<Budget>> {
      const outcome = await table.write({
        step: "move-charge",
        key: budgetKey(of),
        when: [equals("move-charge-round", round, "round")],
        change: add(0, -count),
      });
      return withItem(outcome, budgetFrom);
    },

    /** Counts what an allocation holds in the current round, before the allocation names it. It was not counted before. */
    async addCharge(of: BudgetNamed, round: string, count: number): Promise<Outcome<Budget>> {
      const outcome = await table.write({
        step: "add-charge",
        key: budgetKey(of),
        when: [equals("add-charge-round", round, "round")],
        change: add(count),
      });
      return withItem(outcome, budgetFrom);
    },

    /** Begins the next round of a budget exactly as it was seen. */
    async turnBudget(seen: Budget, next: Budget): Promise<Outcome<Budget>> {
      const item = BUDGET.item(next);
      const outcome = await table.write({
        step: "turn-budget",
        key: item,
        when: [
          equals("turn-budget-used", seen.used, "used"),
          equals("turn-budget-old", seen.old, "old"),
        ],
        change: { kind: "put", item },
      });
      return withItem(outcome, budgetFrom);
    },

    async deleteBudget(seen: Budget): Promise<void> {
      await table.write({
        step: "drop-budget",
        key: budgetKey(seen),
        when: [equals("drop-budget-round", seen.round, "round")],
        change: { kind: "delete" },
      });
    },
  };
}

/** Returns the clause that a lane has the mark that its writer expects. */
const expected = (name: string, { lane, seen }: GiveBackMark): Clause =>
  seen === undefined ? absent(name, laneName(lane)) : equals(name, seen, laneName(lane));

const marked = ({ lane, mark }: GiveBackMark) => ({ set: [[[laneName(lane)], mark]] }) as const;

const LANES = [...new Array(GIVE_BACK_LANES).keys()];
const laneName = (lane: number): string => `g${lane}`;

/** The mark of each lane, in an attribute of its own. */
const lanes: FlatForm<Lanes | undefined> = {
  isFlat: true,
  write: (lanes = {}) =>
    Object.fromEntries(Object.entries(lanes).map(([lane, mark]) => [laneName(+lane), mark])),
  read(item) {
    const used = LANES.filter((lane) => item[laneName(lane)] !== undefined);
    return used.length === 0
      ? undefined
      : Object.fromEntries(used.map((lane) => [lane, idOf(item, laneName(lane))]));
  },
};

const BUDGET = codec<Budget, keyof BudgetNamed>({
  key: budgetKey,
  named: ({ pk, sk }) => {
    const [, space = "", quota = ""] = partsOf(pk);
    const of = COUNTED.find((each) => sk === `USED#${each}`);
    if (!of) throw new Error(`it counts ${sk}`);
    return { space, quota, of };
  },
  attributes: {
    round: id,
    before: optional(id),
    roundAtMs: under("at", number),
    used: number,
    old: number,
    lanes,
  },
  assert: assertBudget,
});
export const budgetFrom = BUDGET.from;
