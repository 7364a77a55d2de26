import { assertTexts, assertTimes, assertWhole } from "../../base/assertions.ts";
import type { Family } from "../../net/address.ts";
import { type Cidr, formatCidr } from "../../net/cidr.ts";
import { hasHosts, type Pool } from "../../nouns/pool/pool.ts";
import { isBlockOf } from "./block-group.ts";
import { assertHostReserved, type HostId, type HostReserved } from "./host.ts";

export const AFFINITY_STATES = ["pending", "confirmed", "pendingDeletion"] as const;

/**
 * An affinity: a numbered place of a host, and the block in that place. Plat finds the blocks of a host by its
 * affinities, but the block decides. The states are Calico's. Plat writes an affinity before its block, and deletes it
 * after the block.
 */
export interface BlockAffinity {
  readonly space: string;
  readonly host: HostId;
  readonly family: Family;
  /** k: a put-if-absent takes a place, so the cap on blocks per host is exact (k < cap). */
  readonly place: number;
  readonly block: Cidr;
  readonly pool: string;
  readonly state: (typeof AFFINITY_STATES)[number];
  /** The host-reserved addresses of a claim in progress, so that any function can finish the claim with them. */
  readonly hostReserved?: HostReserved;
  readonly revision: string;
  readonly atMs: number;
}

/** Checks that an affinity has the revision that every write of it is conditional on, its place and its block. @throws {Error} */
export function assertAffinity(affinity: BlockAffinity): void {
  const { space, host, family, place, block, pool, revision, atMs } = affinity;
  assertTexts({ space, host, pool, revision });
  assertWhole({ place });
  assertTimes(atMs);
  assertHostReserved(affinity);
  if (block.family !== family) throw new Error(`its block is not of family ${family}`);
}

/** Returns the lowest free place of a family. There always is one; the caller enforces the cap. */
export function lowestFreePlace(affinities: readonly BlockAffinity[], family: Family): number {
  const taken = new Set(
    affinities.filter((affinity) => affinity.family === family).map((affinity) => affinity.place),
  );
  let place = 0;
  while (taken.has(place)) place++;
  return place;
}

/** Returns true if two readings of a host's affinities name the same blocks. */
export function sameBlocks(a: readonly BlockAffinity[], b: readonly BlockAffinity[]): boolean {
  const names = (affinities: readonly BlockAffinity[]) =>
    affinities.map(({ block }) => formatCidr(block)).sort();
  return names(a).join() === names(b).join();
}

/** Returns the host's affinities in the pools that may serve it, pool by pool. Blocks of ranged pools have no host. */
export function affinitiesFor(
  pools: readonly Pool[],
  affinities: readonly BlockAffinity[],
): readonly BlockAffinity[] {
  return pools
    .filter((pool) => hasHosts(pool))
    .flatMap((pool) =>
      affinities.filter(
        (affinity) => affinity.pool === pool.name && isBlockOf(pool, affinity.block),
      ),
    );
}
