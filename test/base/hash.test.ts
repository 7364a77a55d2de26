import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVERY_SHARD, fnv1a64, handleHash, shardOf, shardOfSpace } from "../../src/base/hash.ts";

describe("the hash of a text", () => {
  // The vectors published with draft-eastlake-fnv.
  it.each([
    { text: "", hash: 0xcbf29ce484222325n },
    { text: "a", hash: 0xaf63dc4c8601ec8cn },
    { text: "foobar", hash: 0x85944171f73967e8n },
    { text: "chongo was here!\n", hash: 0x46810940eff5f915n },
  ])("is FNV-1a of 64 bits: $text", ({ text, hash }) => {
    expect(fnv1a64(text)).toBe(hash);
  });

  it("is that of its UTF-8 bytes", () => {
    expect(fnv1a64("zürich")).toBe(0xfe8bb21e6544b7a0n);
  });

  it("is 16 digits in keys, also when it begins with a zero", () => {
    expect(handleHash("foobar")).toBe("85944171f73967e8");
    expect(handleHash("web-600")).toBe("080d37646813e136");
  });
});

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
