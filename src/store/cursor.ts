import { cursorKey } from "./key.ts";
import type { Table } from "./table.ts";

/** Where a scheduled pass stopped. Losing one only means that work is looked at twice. */
export function cursorItems(table: Table) {
  return {
    async readCursor(pass: string): Promise<string | undefined> {
      return (await table.get(cursorKey(pass)))?.position as string | undefined;
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
