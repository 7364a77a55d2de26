import type { FullPool } from "../domain/contents.ts";
import { textOf } from "./attribute.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { fullPoolKey, fullPoolsPk, LENDING_PREFIX, unescaped } from "./key.ts";
import { readEach } from "./readable-items.ts";
import type { Table } from "./table.ts";

/**
 * The calls for hints that a pool is full. One partition has all hints of a space. Each method is
 * one call to the database.
 */
export function fullPoolItems(table: Table) {
  return {
    async listFullPools(space: string): Promise<readonly FullPool[]> {
      const items = await table.query(fullPoolsPk(space), {
        consistent: false,
        before: LENDING_PREFIX,
      });
      return readEach(items, fullPoolFrom).items;
    },

    async callPoolFull({ space, poolId, reserved }: FullPool): Promise<void> {
      const key = fullPoolKey(space, poolId);
      const change = { kind: "put", item: { ...key, reserved } } as const;
      await table.write({ step: "pool-full", key, when: [], change });
    },

    async clearPoolFull(
      step: string,
      { space, poolId }: Pick<FullPool, "space" | "poolId">,
    ): Promise<void> {
      const key = fullPoolKey(space, poolId);
      await table.write({ step, key, when: [], change: { kind: "delete" } });
    },
  };
}

export const fullPoolFrom = reading((item: Item): FullPool => {
  const [, space = ""] = item.pk.split("#").map(unescaped);
  return { space, poolId: unescaped(item.sk), reserved: textOf(item, "reserved") };
});
