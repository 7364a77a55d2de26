import { describe, expect, it } from "vitest";
import { CorruptItemError } from "../../../src/base/outcome.ts";
import {
  afterPass,
  type PoolUsage,
  SAMPLE_MS_MIN,
} from "../../../src/nouns/utilization/pool-usage.ts";
import { NO_USAGE } from "../../../src/nouns/utilization/usage.ts";
import { makeStore } from "../../../src/store/stack.ts";
import { InMemoryTable } from "../../../src/table/in-memory-table.ts";
import { poolUsageKey } from "../../../src/table/key.ts";
import { NOW_MS } from "../../builders.ts";

const table = new InMemoryTable();
const store = makeStore(table);

/** Returns the usage of a pool after two months of samples. */
function grown(capacity: bigint): PoolUsage {
  let usage: PoolUsage | undefined;
  for (let ms = 0; ms < 60 * 86_400_000; ms += SAMPLE_MS_MIN)
    usage = afterPass(usage, {
      space: "default",
      poolId: "id",
      pool: "main",
      family: 4,
      countedFromMs: NOW_MS + ms,
      countedAtMs: NOW_MS + ms,
      usage: { ...NO_USAGE, capacity, inUse: capacity / 2n, available: capacity / 2n },
    });
  return usage ?? expect.fail();
}

describe("the item of a pool's usage", () => {
  it.each([
    ["a /16", 2n ** 16n, 2_600],
    ["a /8", 2n ** 24n, 3_200],
    ["IPv6 /64", 2n ** 64n, 5_500],
  ])("reads as it was written, and is small: %s", async (_, capacity, bytesMax) => {
    const usage = grown(capacity);
    await store.putPoolUsage(usage);
    expect(await store.readPoolUsage("default", "id")).toEqual(usage);
    const item = await table.get(poolUsageKey("default", "id"));
    expect(JSON.stringify(item).length).toBeLessThanOrEqual(bytesMax);
  });

  it("without a usage cannot be read", async () => {
    const item = await table.get(poolUsageKey("default", "id"));
    await table.write({
      step: "test",
      key: poolUsageKey("default", "id"),
      when: [],
      change: { kind: "put", item: { ...item, usage: "1 2" } as never },
    });
    await expect(store.readPoolUsage("default", "id")).rejects.toBeInstanceOf(CorruptItemError);
    expect((await store.listPoolUsages("default")).unreadable).toHaveLength(1);
  });
});
