import { formatCidr } from "../domain/cidr.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { AddressPlan } from "../domain/plan.ts";
import { absent, equals } from "./clause.ts";
import { planKey, unescaped } from "./key.ts";
import { withItem } from "./outcome.ts";
import type { Item, Table, Value } from "./table.ts";
import { cidrText } from "./text.ts";

/** The address plan: every range of a space in one item. Each method is one call. */
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
      const key = planKey(seen.space);
      const item: Item = {
        ...key,
        entries: entries.map(({ cidr, ...entry }) => ({ ...entry, cidr: formatCidr(cidr) })),
        revision,
      };
      const outcome = await table.write({
        step: "change-plan",
        key,
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

export function planFrom(item: Item): AddressPlan {
  return {
    space: unescaped(item.pk.split("#")[1] as string),
    entries: (item.entries as Record<string, Value>[]).map((entry) => ({
      pool: entry.pool as string,
      id: entry.id as string,
      cidr: cidrText(entry.cidr),
      blockSize: entry.blockSize as number,
    })),
    revision: item.revision as string,
  };
}
