import { describe, expect, it } from "vitest";
import type { Contents } from "../../src/invariants/contents.ts";
import { setViolations } from "../../src/invariants/set-invariants.ts";
import type { Part } from "../../src/kernel/values/allocation.ts";
import { blocksByName } from "../../src/kernel/values/blocks-by-name.ts";
import type { Pool } from "../../src/nouns/pool/pool.ts";
import { allocationWith, blockWith, intervals, poolWith, taken, token } from "../builders.ts";

const ranged = (name: string, ranges: readonly string[], changes: Partial<Pool> = {}): Pool =>
  poolWith({ name, id: name, subnetId: "red", ranges: intervals(...ranges), ...changes });
const RED = ranged("red", ["10.0.0.0-10.0.0.2"]);
const BLUE = ranged("blue", ["10.0.0.3-10.0.0.9"]);

const block = blockWith({ 1: taken(1, "web-1") }, { host: undefined, poolId: "red" } as object);
const holding = (part: Partial<Part>) =>
  allocationWith({
    parts: [{ token: token(1), block: block.cidr, count: 1, ordinals: [1], ...part }],
  });

const violationsOf = (pools: readonly Pool[], part: Partial<Part> = { pool: "red" }) => {
  const contents = { blocks: [block], pools, allocations: [holding(part)] } as unknown as Contents;
  return setViolations(contents, blocksByName(contents.blocks)).map(({ message }) => message);
};

describe("pools of one subnet", () => {
  it("may have addresses beside each other", () => {
    expect(violationsOf([RED, BLUE])).toEqual([]);
  });

  it("may not share an address", () => {
    const other = ranged("blue", ["10.0.0.2-10.0.0.5"]);
    expect(violationsOf([RED, other])).toEqual(["pools red and blue of default share 10.0.0.2"]);
  });

  it("may share what one of them is about to add, or has while it is pending", () => {
    const adding = { ...BLUE, adding: intervals("10.0.0.2") };
    const pending = ranged("blue", ["10.0.0.2"], { state: "pending" });
    for (const other of [adding, pending]) expect(violationsOf([RED, other])).toEqual([]);
  });

  it("may not share what has left one of them and is not free yet", () => {
    const retiring = { ...BLUE, retiring: intervals("10.0.0.2") };
    expect(violationsOf([RED, retiring])).toEqual(["pools red and blue of default share 10.0.0.2"]);
  });

  it("have one block size", () => {
    expect(violationsOf([RED, { ...BLUE, blockSize: 28 }])).toEqual([
      "pools red and blue of default differ in their subnet",
    ]);
  });
});

describe("an address that is taken", () => {
  it.each<[string, Partial<Part>]>([
    ["in another pool than its allocation names", { pool: "blue" }],
    ["for a pool that does not exist", { pool: "green" }],
    ["without a pool", {}],
  ])("is found %s", (_, part) => {
    expect(violationsOf([RED, BLUE], part)).toEqual([
      expect.stringMatching(/slot 1 is taken for pool \w+, which does not have it$/),
    ]);
  });

  it("may be one that has left its pool and is not free yet", () => {
    const narrowed = ranged("red", ["10.0.0.0"], { retiring: intervals("10.0.0.1-10.0.0.2") });
    expect(violationsOf([narrowed, BLUE])).toEqual([]);
  });

  it("is found outside of the set of its pool", () => {
    expect(violationsOf([ranged("red", ["10.0.0.0"]), BLUE])).toHaveLength(1);
  });
});
