import type { Family } from "./address.ts";
import { isBlockOf } from "./block-group.ts";
import { type Cidr, formatCidr } from "./cidr.ts";
import type { HostId } from "./host.ts";
import type { HostReserved } from "./host-reserved.ts";
import type { Pool } from "./pool.ts";

export const AFFINITY_STATES = ["pending", "confirmed", "pendingDeletion"] as const;

/**
 * An affinity row: a numbered place of a host and the block standing there. Rows are how a host's blocks are found; what
 * is true stands in the block. The states are Calico's: a row is written before its block and deleted after it.
 */
export interface AffinityRow {
  readonly space: string;
  readonly host: HostId;
  readonly family: Family;
  /** k: the cap on blocks per host is k < cap, exactly, because a place is taken by a put-if-absent. */
  readonly place: number;
  readonly block: Cidr;
  readonly pool: string;
  readonly state: (typeof AFFINITY_STATES)[number];
  /** Of a claim under way: what its host is to keep in the block, whoever finishes it. */
  readonly hostReserved?: HostReserved;
  readonly revision: string;
  readonly atMs: number;
}

/** The lowest free place of a family; there is always one, the cap is the caller's. */
export function lowestFreePlace(rows: readonly AffinityRow[], family: Family): number {
  const taken = new Set(rows.filter((row) => row.family === family).map((row) => row.place));
  let place = 0;
  while (taken.has(place)) place++;
  return place;
}

/** Do two readings of a host's rows name the same blocks? */
export function sameBlocks(a: readonly AffinityRow[], b: readonly AffinityRow[]): boolean {
  const names = (rows: readonly AffinityRow[]) => rows.map(({ block }) => formatCidr(block)).sort();
  return names(a).join() === names(b).join();
}

/** The host's rows in the pools that may serve it, pool by pool. */
export function rowsFor(
  pools: readonly Pool[],
  rows: readonly AffinityRow[],
): readonly AffinityRow[] {
  return pools.flatMap((pool) =>
    rows.filter((row) => row.pool === pool.name && isBlockOf(pool, row.block)),
  );
}
