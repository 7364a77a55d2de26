import { describe, expect, it } from "vitest";
import { findViolations } from "../../src/invariants/invariants.ts";
import type { Pool } from "../../src/nouns/pool/pool.ts";
import { contentsOf } from "../../src/store/contents.ts";
import {
  allocationWith,
  blockWith,
  network,
  planWith,
  poolWith,
  taken,
  token,
} from "../builders.ts";

const REGION = poolWith({
  name: "region",
  id: "region-1",
  cidr: network("10.0.0.0/8"),
  assign: "prefixes",
  blockSize: 16,
});
const CLUSTER = poolWith({
  name: "cluster",
  id: "cluster-1",
  cidr: network("10.7.0.0/16"),
  parent: "region",
  parentId: "region-1",
});
const { host: _, ...block } = blockWith(
  { 0: taken(1, "prefix/vpc") },
  { cidr: network("10.7.0.0/16"), pool: "region", poolId: "region-1" },
);
const PREFIX = { ...block, whole: true as const };
const HOLDING = allocationWith({
  handle: "prefix/vpc",
  parts: [{ token: token(1), block: PREFIX.cidr, count: 1, ordinals: [0] }],
  childId: "cluster-1",
});

/** Returns what is wrong with a pool that is made of a prefix. */
function found({
  pool = CLUSTER,
  blocks = [PREFIX],
  allocation = HOLDING,
  planned = [REGION, pool],
}: {
  readonly pool?: Pool;
  readonly blocks?: readonly (typeof PREFIX)[];
  readonly allocation?: typeof HOLDING;
  readonly planned?: readonly Pool[];
} = {}): readonly string[] {
  const entries = planned.flatMap((each) => planWith(each).entries);
  const contents = {
    ...contentsOf([]),
    pools: [REGION, pool],
    plans: [{ ...planWith(REGION), entries }],
    blocks,
    allocations: [allocation],
  };
  return findViolations(contents)
    .filter(({ invariant, message }) => invariant === "I23" || message.includes("overlap"))
    .map(({ message }) => message);
}

describe("I23: a pool with a parent is made of a prefix that a handle has, and that is held for it", () => {
  it("holds, though both pools and their blocks overlap", () => {
    expect(found()).toEqual([]);
  });

  it.each([
    ["that is free", { blocks: [] }, "that nobody has"],
    [
      "that is released",
      { allocation: { ...HOLDING, state: "released" as const } },
      "being released",
    ],
    ["of another pool", { allocation: { ...HOLDING, childId: "other" } }, "not held for it"],
  ])("is violated by a prefix %s", (_, changes, why) => {
    expect(found(changes)).toEqual([
      expect.stringMatching(new RegExp(`^pool cluster \\(10.7.0.0/16\\) of default .*${why}$`)),
    ]);
  });

  it("is violated by a pool that is no prefix of its parent", () => {
    const pool = { ...CLUSTER, cidr: network("10.7.0.0/17") };
    expect(found({ pool })).toEqual([expect.stringContaining("is no prefix of its parent region")]);
  });

  it("holds for a pool that has left the plan", () => {
    const pool = { ...CLUSTER, state: "deleting" as const };
    expect(found({ pool, blocks: [], planned: [REGION] })).toEqual([]);
  });

  it("excuses no pool that overlaps another one than its parent", () => {
    const { parent: _, parentId: __, ...alone } = CLUSTER;
    expect(found({ pool: alone as Pool })).toContainEqual(
      expect.stringMatching(/^pools .* overlap$/),
    );
  });
});
