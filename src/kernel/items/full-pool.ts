import type { FullPool } from "../../invariants/contents.ts";
import { codec, text } from "../../table/codec.ts";
import { readEach } from "../../table/format.ts";
import { fullPoolKey, fullPoolsPk, LENDING_PREFIX, spaceIn, unescaped } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";

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

    async callPoolFull(hint: FullPool): Promise<void> {
      const item = FULL_POOL.item(hint);
      await table.write({ step: "pool-full", key: item, when: [], change: { kind: "put", item } });
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

const FULL_POOL = codec<FullPool, "space" | "poolId">({
  key: ({ space, poolId }) => fullPoolKey(space, poolId),
  named: (key) => ({ space: spaceIn(key), poolId: unescaped(key.sk) }),
  attributes: { reserved: text },
});
export const fullPoolFrom = FULL_POOL.from;
