import type { Answer, Pool } from "../api/types.ts";
import { type Count, countOf, NONE, sum } from "../map/tiles.ts";

/** The counts of a pool. Those of a pool of prefixes count prefixes. */
export type PoolCounts = Answer<"spaceUtilizationRead">["pools"][number];

/** A pool, and the pools that are made of its prefixes. */
export interface PoolNode {
  readonly pool: Pool;
  readonly children: readonly PoolNode[];
}

/** Returns pools below their parents, in their order. A pool whose parent is not among them stands at the top. */
export function treeOf(pools: readonly Pool[]): readonly PoolNode[] {
  const names = new Set(pools.map(({ name }) => name));
  const byParent = new Map<string | undefined, Pool[]>();
  for (const pool of pools) {
    const { parent = "" } = pool;
    const key = names.has(parent) ? parent : undefined;
    byParent.set(key, [...(byParent.get(key) ?? []), pool]);
  }
  const below = (parent: string | undefined): readonly PoolNode[] =>
    (byParent.get(parent) ?? []).map((pool) => ({ pool, children: below(pool.name) }));
  return below(undefined);
}

/** Returns the place of a pool in a tree, or undefined if it is not there. */
export function nodeOf(name: string, nodes: readonly PoolNode[]): PoolNode | undefined {
  for (const node of nodes) {
    const found = node.pool.name === name ? node : nodeOf(name, node.children);
    if (found) return found;
  }
  return undefined;
}

/** The use of the pools below a pool. */
export interface RolledUp {
  readonly pools: number;
  /** The pools among them whose counts are known. */
  readonly counted: number;
  /** The addresses of those that assign addresses, and not prefixes. */
  readonly addresses: Count;
}

/** Returns the use of all pools below a pool, at any depth. */
export function rolledUp({ children }: PoolNode, usage: ReadonlyMap<string, PoolCounts>): RolledUp {
  return children
    .map((child): RolledUp => {
      const counts = usage.get(child.pool.name);
      const below = rolledUp(child, usage);
      return {
        pools: below.pools + 1,
        counted: below.counted + (counts ? 1 : 0),
        addresses: sum(below.addresses, addressesOf(counts ? [counts] : [])),
      };
    })
    .reduce(together, { pools: 0, counted: 0, addresses: NONE });
}

const together = (a: RolledUp, b: RolledUp): RolledUp => ({
  pools: a.pools + b.pools,
  counted: a.counted + b.counted,
  addresses: sum(a.addresses, b.addresses),
});

/** Returns the sum of the counts of addresses. Counts of prefixes are of something else. */
export const addressesOf = (counts: readonly PoolCounts[]): Count =>
  counts
    .filter(({ unit }) => unit !== "prefixes")
    .map(countOf)
    .reduce(sum, NONE);
