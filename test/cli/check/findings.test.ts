import { describe, expect, it } from "vitest";
import { confirmedIn, type Findings, findIn, isClean } from "../../../src/cli/check/findings.ts";
import { type Contents, joinedContents } from "../../../src/invariants/contents.ts";
import {
  affinityWith,
  allocationWith,
  blockWith,
  cooling,
  NOW_MS,
  network,
  planWith,
  poolWith,
  taken,
} from "../../builders.ts";
import { inventoryWith } from "./builders.ts";

const pool = poolWith();

/** Makes a pool with one block of node-1, in which web-1 has the first address. */
const contentsWith = (changes: Partial<Contents> = {}): Contents => ({
  ...joinedContents([]),
  pools: [pool],
  plans: [planWith(pool)],
  maps: [{ space: "default", poolId: "id", page: "0", groups: new Set([0n]) }],
  blocks: [blockWith({ 0: taken() })],
  affinities: [affinityWith()],
  allocations: [allocationWith()],
  ...changes,
});

const found = (changes: Partial<Contents>, addresses?: readonly string[]): Findings =>
  findIn(contentsWith(changes), {
    nowMs: NOW_MS,
    ...(addresses && { inventory: inventoryWith({ "shop/web-1": { addresses } }) }),
  });

describe("what is found in the contents of a space", () => {
  it("is nothing where all is as it should be", () => {
    expect(found({}, ["10.0.0.0"])).toEqual({ problems: [], untidy: [], notes: [] });
    expect(isClean(found({}))).toBe(true);
  });

  it("are violations as problems, and what the scheduled runs put right apart from them", () => {
    const { problems, untidy } = found({ allocations: [] });
    expect(problems.map(({ kind }) => kind)).toEqual(["I3"]);
    expect(untidy).toEqual([]);
    const left = found({ affinities: [affinityWith({ state: "pending" })] });
    expect(left.problems).toEqual([]);
    expect(left.untidy.map(({ kind }) => kind)).toEqual(["tidy"]);
  });

  it("are handles that have no address", () => {
    const { untidy } = found({ blocks: [blockWith({})] });
    expect(untidy).toEqual([
      {
        kind: "tidy",
        message: "the allocation of handle web-1 (record-1) is live and holds nothing",
      },
    ]);
  });

  it("are items that cannot be read", () => {
    const { problems } = found({ unreadable: [{ key: "BLOCK#default#x y", reason: "odd" }] });
    expect(problems).toEqual([{ kind: "shape", message: "BLOCK#default#x y: odd" }]);
  });

  it("is an address that was released in the future", () => {
    const releasedAt = (ms: number) =>
      found({ blocks: [blockWith({ 0: taken(), 1: cooling(ms) })] }).problems;
    expect(releasedAt(NOW_MS + 2_000)).toEqual([]);
    expect(releasedAt(NOW_MS + 2_001)).toMatchObject([{ kind: "shape", addresses: ["10.0.0.1"] }]);
  });

  it("are addresses of pools that serve nobody, which may be on their way out", () => {
    const { problems, notes } = found({ pools: [{ ...pool, disabled: true }] });
    expect(problems).toEqual([]);
    expect(notes).toEqual([
      {
        kind: "no_active_pool",
        message: "1 address is in use in pool pool, which is disabled",
        addresses: ["10.0.0.0"],
      },
    ]);
  });
});

describe("what an inventory shows", () => {
  const kinds = (changes: Partial<Contents>, address: string) => {
    const { problems, notes } = found(changes, [address]);
    return [...problems, ...notes].map(({ kind }) => kind);
  };

  it("is an address that a pod has and nobody was assigned, in a block or outside of all", () => {
    expect(kinds({}, "10.0.0.1")).toEqual(["unassigned"]);
    expect(kinds({}, "10.0.200.1")).toEqual(["unassigned"]);
  });

  it("is none that was released since, for it was in use then", () => {
    const released = (ms: number) => ({ blocks: [blockWith({ 0: taken(), 1: cooling(ms) })] });
    expect(kinds(released(NOW_MS), "10.0.0.1")).toEqual([]);
    expect(kinds(released(NOW_MS - 1), "10.0.0.1")).toEqual(["unassigned"]);
  });

  it("is an address in no pool, as a note", () => {
    expect(kinds({}, "192.0.2.1")).toEqual(["no_active_pool"]);
  });

  it("says nothing of pools that serve nobody", () => {
    const disabled = { pools: [{ ...pool, disabled: true, cidr: network("10.0.0.0/16") }] };
    expect(found(disabled, ["10.0.0.1"]).problems).toEqual([]);
  });
});

describe("what two looks have both found", () => {
  const finding = (message: string) => ({ kind: "I3", message });
  const look = (problems: string[], untidy: string[] = []): Findings => ({
    problems: problems.map(finding),
    untidy: untidy.map(finding),
    notes: [],
  });

  it("stands; what one of them has missed was under way", () => {
    expect(confirmedIn(look(["a", "b"], ["c"]), look(["b", "d"], ["a"]))).toEqual(look(["b"]));
  });
});
