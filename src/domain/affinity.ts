import type { Family } from "./address.ts";
import { isBlockOf } from "./block-group.ts";
import { type Cidr, formatCidr } from "./cidr.ts";
import type { HostId } from "./host.ts";
import type { HostReserved } from "./host-reserved.ts";
import type { Pool } from "./pool.ts";

export const AFFINITY_STATES = ["pending", "confirmed", "pendingDeletion"] as const;

/**
 * An affinity: a numbered place of a host and the block standing there. Affinities are how a host's blocks are found; what
 * is true stands in the block. The states are Calico's: an affinity is written before its block and deleted after it.
 */
export interface BlockAffinity {
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
export function lowestFreePlace(affinities: readonly BlockAffinity[], family: Family): number {
  const taken = new Set(
    affinities.filter((affinity) => affinity.family === family).map((affinity) => affinity.place),
  );
  let place = 0;
  while (taken.has(place)) place++;
  return place;
}

/** Do two readings of a host's affinities name the same blocks? */
export function sameBlocks(a: readonly BlockAffinity[], b: readonly BlockAffinity[]): boolean {
  const names = (affinities: readonly BlockAffinity[]) =>
    affinities.map(({ block }) => formatCidr(block)).sort();
  return names(a).join() === names(b).join();
}

/** The host's affinities in the pools that may serve it, pool by pool. */
export function affinitiesFor(
  pools: readonly Pool[],
  affinities: readonly BlockAffinity[],
): readonly BlockAffinity[] {
  return pools.flatMap((pool) =>
    affinities.filter((affinity) => affinity.pool === pool.name && isBlockOf(pool, affinity.block)),
  );
}
