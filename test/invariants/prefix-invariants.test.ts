import { describe, expect, it } from "vitest";
import { handleHash } from "../../src/base/hash.ts";
import { prefixViolations } from "../../src/invariants/invariants.ts";
import type { Allocation } from "../../src/kernel/values/allocation.ts";
import { contentsOf } from "../../src/store/contents.ts";
import { allocationWith, blockWith, network, taken, token } from "../builders.ts";

type Had = readonly [cidr: string, handle: string, state?: Allocation["state"]];

/** Returns what is wrong when each of these handles has a prefix, by an allocation in this state. */
function found(...prefixes: readonly Had[]) {
  const allocations = prefixes.map(([cidr, handle, state = "live"], n) =>
    allocationWith({
      handle,
      state,
      place: { space: "default", handleHash: handleHash(handle), id: `id-${n}`, keyed: false },
      parts: [{ token: token(n), block: network(cidr), count: 1, ordinals: [0] }],
    }),
  );
  const blocks = prefixes.map(([cidr, handle], n) => {
    const { host: _, ...block } = blockWith({ 0: taken(n, handle) }, { cidr: network(cidr) });
    return { ...block, whole: true as const };
  });
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

  it("holds beside a prefix of an aborted request, which is about to be freed", () => {
    const aborted = ["10.0.0.0/24", "node/n/a", "aborted"] as const;
    expect(found(aborted, ["10.0.1.0/24", "node/n/a", "pending"])).toEqual([]);
  });

  it("holds for any number of prefixes of a pool of Cilium", () => {
    const handle = "cilium/n/a/mars";
    expect(found(["10.0.0.0/24", handle], ["10.0.1.0/24", handle])).toEqual([]);
  });

  it("holds for any number of prefixes of a handle of prefixes", () => {
    expect(found(["10.0.0.0/24", "prefix/vpc"], ["10.0.1.0/24", "prefix/vpc"])).toEqual([]);
  });

  it("is violated by a prefix of a handle that is no node's", () => {
    expect(found(["10.0.0.0/24", "web-1"], ["10.0.1.0/24", "cilium/n/a"])).toEqual([
      {
        invariant: "I17",
        message: "web-1 has a prefix, and is neither a node nor a handle of prefixes",
      },
      {
        invariant: "I17",
        message: "cilium/n/a has a prefix, and is neither a node nor a handle of prefixes",
      },
    ]);
  });
});
