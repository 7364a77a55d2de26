import fc from "fast-check";
import { expect, it } from "vitest";
import { EVERY_SHARD, shardOf, shardOfSpace } from "../../src/base/shard.ts";

it("every hash is in one of the shards", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (hash) => {
      expect(EVERY_SHARD).toContain(shardOf(hash));
    }),
  );
});

it("a space is always in the same shard", () => {
  expect(["default", "aside", "a", "b"].map(shardOfSpace)).toEqual([14, 7, 12, 5]);
});

it("spaces are spread over all shards, as names are given in numbers", () => {
  const counts = new Map<number, number>();
  for (let n = 0; n < 10_000; n++) {
    const shard = shardOfSpace(`tenant-${n}`);
    counts.set(shard, (counts.get(shard) ?? 0) + 1);
  }
  expect(counts.size).toBe(EVERY_SHARD.length);
  // An even share is 625.
  expect(Math.max(...counts.values())).toBeLessThan(900);
});
