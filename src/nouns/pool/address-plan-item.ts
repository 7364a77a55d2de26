import type { Outcome } from "../../base/outcome.ts";
import { absent, equals } from "../../table/clause.ts";
import { cidr, codec, id, list, number, optional, record, text } from "../../table/codec.ts";
import { planKey, spaceIn } from "../../table/key.ts";
import { withItem } from "../../table/revised-writes.ts";
import type { Table } from "../../table/table.ts";
import { type AddressPlan, type AddressPlanEntry, assertPlan } from "./address-plan.ts";

/**
 * The calls for the address plan: every range of a space in one item. Each method is one call to
 * the database.
 */
export function planItems(table: Table) {
  return {
    async readPlan(space: string): Promise<AddressPlan> {
      const item = await table.get(planKey(space));
      return item ? planFrom(item) : { space, entries: [] };
    },

    async changePlan(
      seen: AddressPlan,
      entries: AddressPlan["entries"],
      revision: string,
    ): Promise<Outcome<AddressPlan>> {
      const item = PLAN.item({ space: seen.space, entries, revision });
      const outcome = await table.write({
        step: "change-plan",
        key: item,
        when: [
          seen.revision === undefined
            ? absent("plan-absent", "pk")
            : equals("plan-rev", seen.revision, "revision"),
        ],
        change: { kind: "put", item },
      });
      return withItem(outcome, planFrom);
    },
  };
}

/** The plan of a space has a revision from its first pool on, which is when its item begins. */
const PLAN = codec<Required<AddressPlan>, "space">({
  key: ({ space }) => planKey(space),
  named: (key) => ({ space: spaceIn(key) }),
  attributes: {
    entries: list(
      record<AddressPlanEntry>({
        pool: text,
        id,
        subnetId: optional(id),
        parentId: optional(id),
        cidr,
        blockSize: number,
      }),
    ),
    revision: id,
  },
  assert: assertPlan,
});
export const planFrom = PLAN.from;
