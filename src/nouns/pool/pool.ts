import { assertTexts, assertWhole } from "../../base/assertions.ts";
import { BLOCK_SIZES } from "../../base/limits.ts";
import { BITS } from "../../net/address.ts";
import type { AddressSet } from "../../net/address-set.ts";
import { type Cidr, sizeOf } from "../../net/cidr.ts";
import type { Selector } from "../../net/selector.ts";
import type { Settings } from "../settings/settings.ts";
import { PREFIX_LENGTHS } from "./limits.ts";
import type { NetworkSettings } from "./network.ts";

/** The uses of addresses; a pool allows some of them. The values are Calico's. */
export const USES = ["Workload", "Tunnel", "LoadBalancer"] as const;
export type Use = (typeof USES)[number];

/** `Manual` pools serve only requests that name them. */
export const ASSIGNMENT_MODES = ["Automatic", "Manual", "Applications"] as const;
export type AssignmentMode = (typeof ASSIGNMENT_MODES)[number];

/** A pool assigns addresses to workloads, or prefixes to nodes. */
export const ASSIGNS = ["addresses", "prefixes"] as const;

export const BORROWING = ["allowed", "forbidden"] as const;
export type Borrowing = (typeof BORROWING)[number];

/** The hosts, namespaces or workloads that a pool serves, by labels: as its operator wrote it, and as parsed. */
export interface PoolSelector {
  readonly text: string;
  readonly selector: Selector;
}

/** The fields of a pool that operators set. CIDR and block size never change. */
export interface PoolSpec extends NetworkSettings {
  readonly cidr: Cidr;
  /** Absent: `pods`. A pool of a subnet leaves out its network address, broadcast address and gateway. */
  readonly kind?: "subnet";
  /** Present in a pool of prefixes: each of its blocks is one prefix, which one node has as a whole. It never changes. */
  readonly assign?: "prefixes";
  /** The name of the pool of which its CIDR is an assigned prefix; absent for a pool that lies in no other. It never changes. */
  readonly parent?: string;
  /** Prefix length of its blocks. */
  readonly blockSize: number;
  readonly disabled: boolean;
  readonly assignmentMode: AssignmentMode;
  readonly allowedUses: readonly Use[];
  /** Absent: every host. */
  readonly nodeSelector?: PoolSelector;
  /** Absent: every namespace, and requests that name none. */
  readonly namespaceSelector?: PoolSelector;
  /** Absent: every workload. */
  readonly podSelector?: PoolSelector;
  /** Names of hosts, in place of `nodeSelector`. */
  readonly nodeNames?: readonly string[];
  /** Names of namespaces, in place of `namespaceSelector`. */
  readonly namespaceNames?: readonly string[];
  /** Names of networks. Absent: every network, and requests that name none. */
  readonly networks?: readonly string[];
  /** The callers that it serves, as `namedPrincipal` returns them. Absent: every caller. */
  readonly principals?: readonly string[];
  /** Absent: the space's own. */
  readonly cooldownSeconds?: number;
  /** Permission for hosts to take addresses from blocks of this pool that do not belong to them. */
  readonly borrowing: Borrowing;
  /**
   * Present in a ranged pool: of its CIDR it has these addresses alone, less `excludes`. Other ranged pools may share its CIDR
   * and block size.
   */
  readonly ranges?: AddressSet;
  readonly excludes?: AddressSet;
  /** Fields of a Calico manifest that only concern routing: kept, returned, and otherwise ignored. */
  readonly routing?: Readonly<Record<string, string | boolean>>;
  /** For people. */
  readonly description?: string;
  /** Words by which people group pools. */
  readonly tags?: readonly string[];
}

export const POOL_STATES = ["pending", "active", "deleting"] as const;

export interface Pool extends PoolSpec {
  readonly space: string;
  readonly name: string;
  /** Names this pool in the address plan, so that a deleted pool and its successor are not confused. */
  readonly id: string;
  /**
   * Names the subnet of a ranged pool: blocks and their index name it instead of the pool's id. All ranged pools of a CIDR share
   * that of the first. Any other pool is its own subnet.
   */
  readonly subnetId?: string;
  /** The id of its parent. */
  readonly parentId?: string;
  /** Addresses that a change of a ranged pool is about to add. No other pool can have them meanwhile. */
  readonly adding?: AddressSet;
  /**
   * Addresses that were taken out of a ranged pool. No other pool can have them until a job has proven that none of them is in use,
   * and that no function knows them as addresses of this pool.
   */
  readonly retiring?: AddressSet;
  /**
   * `pending` until the address plan has its range; `deleting` from an operator's delete until its
   * range is free again. A pool in either state serves no request. A deleting pool can still be
   * read, released from and reclaimed.
   */
  readonly state: (typeof POOL_STATES)[number];
  readonly revision: string;
}

/**
 * Checks that a pool has its id and its revision, and that its block size is a prefix length. A disabled pool can be smaller
 * than a block. @throws {Error}
 */
export function assertPool(pool: Pool): void {
  const { space, name, id, revision, cidr, blockSize, allowedUses, cooldownSeconds = 0 } = pool;
  const subnetId = pool.ranges ? (pool.subnetId ?? "") : id;
  const { parent = "none", parentId = parent } = pool;
  assertTexts({ space, name, id, subnetId, parent, parentId, revision });
  if ((pool.parent === undefined) !== (pool.parentId === undefined))
    throw new Error("it has a parent without its id, or an id without its parent");
  const { prefixLength = cidr.prefix } = pool;
  assertWhole({ blockSize, cooldownSeconds, prefixLength });
  for (const [field, length] of Object.entries({ blockSize, prefixLength }))
    if (length > BITS[cidr.family])
      throw new Error(`its ${field} ${length} is no prefix length of IPv${cidr.family}`);
  const unknown = allowedUses.find((use) => !USES.includes(use));
  if (unknown !== undefined) throw new Error(`its allowedUses has no known use: ${unknown}`);
}

/** Returns the prefix lengths that the blocks of a pool can have, and the default. */
export const blockSizesOf = ({
  cidr: { family },
  assign,
}: {
  readonly cidr: Cidr;
  readonly assign?: (typeof ASSIGNS)[number] | undefined;
}) => (assign === "prefixes" ? PREFIX_LENGTHS : BLOCK_SIZES)[family];

/** Returns true if a selector excludes anyone. Then selection needs the labels of the requester. */
export function narrows(selector: PoolSelector | undefined): selector is PoolSelector {
  return selector !== undefined && selector.selector.kind !== "all()";
}

/** Returns true if the pool serves requests. */
export function serves({ state, disabled }: Pool): boolean {
  return state === "active" && !disabled;
}

/** Returns true if the pool has a set of addresses instead of all that its CIDR has. */
export const isRanged = ({ ranges }: Pick<PoolSpec, "ranges">): boolean => ranges !== undefined;

/** Returns true if the pool assigns prefixes instead of addresses. */
export const assignsPrefixes = ({
  assign,
}: {
  readonly assign?: (typeof ASSIGNS)[number] | undefined;
}): boolean => assign === "prefixes";

/** Returns the number of addresses that one slot of a pool stands for: all of a prefix, or one. */
export const slotSizeOf = (pool: Pick<PoolSpec, "assign" | "cidr" | "blockSize">): bigint =>
  assignsPrefixes(pool) ? sizeOf({ ...pool.cidr, prefix: pool.blockSize }) : 1n;

/** Returns true if hosts own the blocks of the pool. Those of ranged pools and prefixes have no host. */
export const hasHosts = (pool: Pick<PoolSpec, "ranges" | "assign">): boolean =>
  !isRanged(pool) && !assignsPrefixes(pool);

/** Returns the id that the blocks of a pool name. */
export const subnetIdOf = ({ id, subnetId }: Pick<Pool, "id" | "subnetId">): string =>
  subnetId ?? id;

export function cooldownMsOf(pool: Pool | undefined, settings: Settings): number {
  return 1000 * (pool?.cooldownSeconds ?? settings.cooldownSeconds);
}
