import { describe, expect, it } from "vitest";
import { handleHash } from "../../src/domain/hash.ts";
import { prefixViolations } from "../../src/domain/prefix-invariants.ts";
import { contentsOf } from "../../src/store/contents.ts";
import { allocationWith, blockWith, network, taken } from "./builders.ts";

/** Returns a prefix that a handle has. */
function prefix(cidr: string, handle: string) {
  const { host: _, ...block } = blockWith({ 0: taken(1, handle) }, { cidr: network(cidr) });
  return { ...block, whole: true as const };
}

/** Returns what is wrong when each of these handles has a prefix. */
function found(...prefixes: readonly (readonly [cidr: string, handle: string])[]) {
  const allocations = prefixes.map(([, handle], n) =>
    allocationWith({
      handle,
      place: { space: "default", handleHash: handleHash(handle), id: `id-${n}`, keyed: false },
    }),
  );
  const blocks = prefixes.map(([cidr, handle]) => prefix(cidr, handle));
  return prefixViolations({ ...contentsOf([]), allocations, blocks });
}

describe("I17: an incarnation of a node has at most one prefix of a family", () => {
  it("holds for one of each family, and for two incarnations", () => {
    const one = ["10.0.0.0/24", "node/n/a"] as const;
    expect(found(one, ["fd00::/64", "node/n/a"], ["10.0.1.0/24", "node/n/b"])).toEqual([]);
  });

  it("is violated by two of a family", () => {
    expect(found(["10.0.0.0/24", "node/n/a"], ["10.0.1.0/24", "node/n/a"])).toEqual([
      { invariant: "I17", message: "node/n/a of default has IPv4 prefixes: more than one" },
    ]);
  });

  it("is violated by a prefix of a handle that is no node's", () => {
    expect(found(["10.0.0.0/24", "web-1"])).toEqual([
      { invariant: "I17", message: "web-1 is no node, and has a prefix" },
    ]);
  });
});
