import type { Outcome } from "../../base/outcome.ts";
import { oneOf } from "../../table/attribute.ts";
import { cidr, codec, id, list, optional, revised, under } from "../../table/codec.ts";
import { partsOf, spaceIn, statedKey, statedPk, statedPrefix } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import {
  assertStatedRanges,
  STATED_BY,
  type StatedNamed,
  type StatedRanges,
} from "./stated-ranges.ts";

/** The calls for the networks that nodes state. Each method is one call to the database. */
export function statedRangeItems(table: Table) {
  const stated = revised(table, STATED);
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

const STATED = codec<StatedRanges, keyof StatedNamed>({
  key: statedKey,
  named: (key) => {
    const [node = "", uid = "", by = ""] = partsOf(key.sk);
    return { space: spaceIn(key), node, uid, by: oneOf({ by }, "by", STATED_BY) };
  },
  attributes: {
    cidrs: list(cidr),
    resourceVersion: under("rv", optional(id)),
    revision: id,
  },
  assert: assertStatedRanges,
});
export const statedFrom = STATED.from;
