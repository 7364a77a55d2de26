import { describe, expect, it } from "vitest";
import type { Pool } from "../../../console/src/api/types.ts";
import {
  type PoolCounts,
  type PoolNode,
  rolledUp,
  treeOf,
} from "../../../console/src/pages/pool-tree.ts";

const pool = (name: string, parent?: string) => ({ name, ...(parent && { parent }) }) as Pool;

const POOLS = [
  pool("cluster-7", "region"),
  pool("lone"),
  pool("of-another-page", "elsewhere"),
  pool("pods-7", "cluster-7"),
  pool("region"),
  pool("services-7", "cluster-7"),
];

const namesOf = (nodes: readonly PoolNode[]): unknown =>
  nodes.map(({ pool: { name }, children }) =>
    children.length === 0 ? name : [name, namesOf(children)],
  );

/** Returns counts that are all free but for some in use, as the API has them. */
const counts = (name: string, inUse: number, unit?: "prefixes") => ({
  pool: name,
  cidr: "10.0.0.0/24",
  ...(unit && { unit }),
  capacity: 256,
  inUse,
  hostReserved: 0,
  reserved: 0,
  cooling: 0,
  available: 256 - inUse,
});

const usageOf = (...counted: readonly ReturnType<typeof counts>[]) =>
  new Map(counted.map((one) => [one.pool, one as unknown as PoolCounts]));

describe("the tree of pools", () => {
  it("has each pool below its parent, and those without a parent among them at the top", () => {
    expect(namesOf(treeOf(POOLS))).toEqual([
      "lone",
      "of-another-page",
      ["region", [["cluster-7", ["pods-7", "services-7"]]]],
    ]);
  });

  it("rolls up the addresses of all depths, and no prefixes", () => {
    const [, , region] = treeOf(POOLS);
    if (!region) throw new Error("the region is not in the tree");
    const usage = usageOf(
      counts("region", 1, "prefixes"),
      counts("cluster-7", 2, "prefixes"),
      counts("pods-7", 30),
      counts("services-7", 4),
    );
    const { pools, counted, addresses } = rolledUp(region, usage);
    expect([pools, counted]).toEqual([3, 3]);
    expect(addresses).toMatchObject({ capacity: 512, inUse: 34, available: 478 });
  });

  it("says how many of the pools are counted", () => {
    const [, , region] = treeOf(POOLS);
    if (!region) throw new Error("the region is not in the tree");
    const { pools, counted } = rolledUp(region, usageOf(counts("pods-7", 30)));
    expect([pools, counted]).toEqual([3, 1]);
  });
});
