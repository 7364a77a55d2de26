import { textOf } from "./attribute.ts";
import { reading } from "./format.ts";
import { cursorKey } from "./key.ts";
import type { Item, Table } from "./table.ts";

/** Where a scheduled pass stopped. Losing one only means that work is looked at twice. */
export function cursorItems(table: Table) {
  return {
    async readCursor(pass: string): Promise<string | undefined> {
      const item = await table.get(cursorKey(pass));
      return item && positionFrom(item);
    },

    async writeCursor(pass: string, position: string | undefined): Promise<void> {
      await table.write({
        step: "write-cursor",
        key: cursorKey(pass),
        when: [],
        change: position ? { kind: "update", set: [[["position"], position]] } : { kind: "delete" },
      });
    },
  };
}

export const positionFrom = reading((item: Item) => textOf(item, "position"));
