import { type AddressPlan, assertPlan } from "../domain/address-plan.ts";
import { formatCidr } from "../domain/cidr.ts";
import type { Outcome } from "../domain/outcome.ts";
import { idOf, listOf, numberOf, textOf } from "./attribute.ts";
import { absent, equals } from "./clause.ts";
import { reading } from "./format.ts";
import type { Item, Value } from "./item.ts";
import { planKey, unescaped } from "./key.ts";
import { withItem } from "./outcome.ts";
import type { Table } from "./table.ts";
import { cidrText } from "./text.ts";

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
      assertPlan({ space: seen.space, entries, revision });
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

export const planFrom = reading((item: Item): AddressPlan => {
  return {
    space: unescaped(item.pk.split("#")[1] as string),
    entries: (listOf(item, "entries") as readonly Readonly<Record<string, Value>>[]).map(
      (entry) => ({
        pool: textOf(entry, "pool"),
        id: idOf(entry, "id"),
        ...(entry.subnetId !== undefined && { subnetId: idOf(entry, "subnetId") }),
        ...(entry.parentId !== undefined && { parentId: idOf(entry, "parentId") }),
        cidr: cidrText(entry.cidr),
        blockSize: numberOf(entry, "blockSize"),
      }),
    ),
    revision: idOf(item, "revision"),
  };
}, assertPlan);
