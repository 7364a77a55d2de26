import { formatCidr } from "../domain/cidr.ts";
import type { Outcome } from "../domain/outcome.ts";
import {
  assertStatedRanges,
  STATED_BY,
  type StatedNamed,
  type StatedRanges,
} from "../domain/stated-ranges.ts";
import { idOf, oneOf, textsOf } from "./attribute.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { statedKey, statedPk, statedPrefix, unescaped } from "./key.ts";
import { revised } from "./revised-writes.ts";
import type { Table } from "./table.ts";
import { cidrText } from "./text.ts";

/** The calls for the networks that nodes state. Each method is one call to the database. */
export function statedRangeItems(table: Table) {
  const stated = revised(table, statedItem, statedFrom);
  return {
    /** Returns what all nodes of a space state, or one incarnation of a node. @throws {CorruptItemError} */
    async listStated(
      space: string,
      of?: Pick<StatedNamed, "node" | "uid">,
    ): Promise<readonly StatedRanges[]> {
      const items = await table.query(statedPk(space), of && { prefix: statedPrefix(of) });
      return items.map(statedFrom);
    },

    createStated: (next: StatedRanges) => stated.create("state", "stated-absent", next),
    changeStated: (seen: StatedRanges, next: StatedRanges) =>
      stated.change("state-over", seen, next),
    deleteStated: (seen: StatedRanges): Promise<Outcome<unknown>> => stated.remove("unstate", seen),
  };
}

function statedItem(stated: StatedRanges): Item {
  assertStatedRanges(stated);
  const { cidrs, resourceVersion, revision } = stated;
  return {
    ...statedKey(stated),
    cidrs: cidrs.map(formatCidr),
    ...(resourceVersion !== undefined && { rv: resourceVersion }),
    revision,
  };
}

export const statedFrom = reading((item: Item): StatedRanges => {
  const [, space = ""] = item.pk.split("#").map(unescaped);
  const [node = "", uid = "", by = ""] = item.sk.split("#").map(unescaped);
  return {
    space,
    node,
    uid,
    by: oneOf({ by }, "by", STATED_BY),
    cidrs: textsOf(item, "cidrs").map(cidrText),
    ...(item.rv !== undefined && { resourceVersion: idOf(item, "rv") }),
    revision: idOf(item, "revision"),
  };
}, assertStatedRanges);
