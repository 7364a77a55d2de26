import { assertTexts, assertWhole } from "../../base/assertions.ts";
import {
  ADDRESSES_PER_REQUEST_DEFAULT,
  BLOCK_MIN_AGE_SECONDS_DEFAULT,
  BLOCK_SIZES,
  BLOCKS_PER_HOST_DEFAULT,
  CONFLICT_QUARANTINE_SECONDS_DEFAULT,
  COOLDOWN_SECONDS_DEFAULT,
  GONE_NODES_PERCENT_DEFAULT,
  NODE_QUARANTINE_SECONDS_DEFAULT,
  NODE_STARTUP_GRACE_SECONDS_DEFAULT,
  PREFIX_LENGTHS,
} from "../../base/limits.ts";
import type { CorruptItemError } from "../../base/outcome.ts";
import { BITS } from "../../net/address.ts";
import type { AddressSet } from "../../net/address-set.ts";
import { type Cidr, type Interval, merged, sizeOf } from "../../net/cidr.ts";
import type { Selector } from "../../net/selector.ts";
import { NEVER_ASSIGNED } from "../../net/special-ranges.ts";
import type { Quota } from "../quota/quota.ts";
import { keptOutOf, type NetworkSettings } from "./network.ts";

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

export interface Reservation {
  readonly space: string;
  readonly name: string;
  /** As written: CIDRs, addresses, `a-b` ranges. */
  readonly cidrs: readonly string[];
  readonly intervals: readonly Interval[];
  readonly reason?: string;
  readonly revision: string;
}

/** The fields of a reservation that its operator sets, and its intervals, which follow from them. */
export type ReservationSpec = Omit<Reservation, "space" | "name" | "revision">;

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

/** Checks that a reservation has the revision that every change of it is conditional on. @throws {Error} */
export function assertReservation({ space, name, revision }: Reservation): void {
  assertTexts({ space, name, revision });
}

/** The settings of a space. */
export interface Settings {
  /** True if a host gets addresses of its own blocks only. */
  readonly strictAffinity: boolean;
  /** True if hosts claim blocks automatically. */
  readonly autoAllocateBlocks: boolean;
  /** The number of empty blocks that a host in use can keep. */
  readonly warmBlocksPerHost: number;
  readonly cooldownSeconds: number;
  /** The time in which nobody gets an address after a report of a conflict; at least the cooldown. */
  readonly conflictQuarantineSeconds: number;
  readonly blockMinAgeSeconds: number;
  /** `null`: no cap. */
  readonly maxBlocksPerHost: number | null;
  readonly maxAddressesPerRequest: number;
  readonly allowBareRelease: boolean;
  /** True if only registered hosts get addresses. */
  readonly requireRegisteredHosts: boolean;
  /** The time after the end of a node before what it holds is freed. */
  readonly nodeQuarantineSeconds: number;
  /** The share of nodes whose end at once is taken for a mistake, in percent; 100 for none. */
  readonly goneNodesPercentMax: number;
  /** The silence after which a node counts as unreachable; 0 for none. */
  readonly nodeMonitorGraceSeconds: number;
  /** The silence after which a node that never reported counts as unreachable, where silence is judged. */
  readonly nodeStartupGraceSeconds: number;
  /** The attributes by which searches read, the narrowest first. */
  readonly indexedAttributes: readonly string[];
}

/** A pool or a reservation whose item this version cannot read. Only its existence and its name are known. */
export interface UnreadableNamed {
  readonly name: string;
  readonly unreadable: CorruptItemError;
}

/** An index of an attribute, by the settings of its space. It leads from a value to the allocations that have it. */
export interface AttributeIndex {
  readonly attribute: string;
  /** A time at which the setting was in the table; absent if the request that added it did not end. */
  readonly sinceMs?: number;
}

/**
 * All that selection needs of a space. A decision that depends on an unreadable item throws an error with the item's
 * name.
 */
export interface SpaceConfiguration {
  /** Throws `CorruptItemError` if they exist and cannot be read, because the defaults may differ from them. */
  readonly settings: Settings;
  /** Nothing until an operator writes the settings. Throws as `settings` does. */
  readonly settingsRevision: string | undefined;
  /** The indexes of attributes. Throws as `settings` does. */
  readonly indexes: readonly AttributeIndex[];
  readonly pools: readonly Pool[];
  readonly unreadablePools: readonly UnreadableNamed[];
  readonly reservations: readonly Reservation[];
  readonly unreadableReservations: readonly UnreadableNamed[];
  /** All quotas. Throws `CorruptItemError` if one cannot be read, because it may limit any request. */
  readonly quotas: readonly Quota[];
  readonly readableQuotas: readonly Quota[];
  readonly unreadableQuotas: readonly UnreadableNamed[];
  /**
   * All reserved, kept-out and never-assigned addresses, in runs that do not touch. Throws `CorruptItemError` if a
   * reservation cannot be read.
   */
  readonly reserved: readonly Interval[];
}

/** Returns the prefix lengths that the blocks of a pool can have, and the default. */
export const blockSizesOf = ({
  cidr: { family },
  assign,
}: {
  readonly cidr: Cidr;
  readonly assign?: (typeof ASSIGNS)[number] | undefined;
}) => (assign === "prefixes" ? PREFIX_LENGTHS : BLOCK_SIZES)[family];

/**
 * Returns all addresses that automatic assignment leaves out, in runs that do not touch: those of reservations, and those that the
 * networks of pools keep out. A gateway is out of use for every pool of the space, also if another pool has it.
 */
export const reservedBy = (
  reservations: readonly Pick<Reservation, "intervals">[],
  pools: readonly PoolSpec[],
): readonly Interval[] =>
  merged([
    ...NEVER_ASSIGNED,
    ...reservations.flatMap(({ intervals }) => intervals),
    ...pools.flatMap(keptOutOf),
  ]);

/** Returns the pool with this name, if there is one. @throws {CorruptItemError} */
export function poolNamed(
  { pools, unreadablePools }: SpaceConfiguration,
  name: string,
): Pool | undefined {
  rejectNamed(unreadablePools, name);
  return pools.find((pool) => pool.name === name);
}

/** Returns the reservation with this name, if there is one. @throws {CorruptItemError} */
export function reservationNamed(
  { reservations, unreadableReservations }: SpaceConfiguration,
  name: string,
): Reservation | undefined {
  rejectNamed(unreadableReservations, name);
  return reservations.find((reservation) => reservation.name === name);
}

/** Returns the quota with this name, if there is one. @throws {CorruptItemError} */
export function quotaNamed(
  { readableQuotas, unreadableQuotas }: SpaceConfiguration,
  name: string,
): Quota | undefined {
  rejectNamed(unreadableQuotas, name);
  return readableQuotas.find((quota) => quota.name === name);
}

/** Returns a pool by its id, if there is one. @throws {CorruptItemError} if it may be one that cannot be read */
export function poolOfId(configuration: SpaceConfiguration, id: string): Pool | undefined {
  return configuration.pools.find((pool) => pool.id === id) ?? noneUnread(configuration);
}

/** Returns nothing, which is true only if every pool was read. @throws {CorruptItemError} */
export function noneUnread({ unreadablePools }: SpaceConfiguration): undefined {
  const [first] = unreadablePools;
  if (first) throw first.unreadable;
  return undefined;
}

function rejectNamed(all: readonly UnreadableNamed[], name: string): void {
  const found = all.find((each) => each.name === name);
  if (found) throw found.unreadable;
}

/** Returns true if a selector excludes anyone. Then selection needs the labels of the requester. */
export function narrows(selector: PoolSelector | undefined): selector is PoolSelector {
  return selector !== undefined && selector.selector.kind !== "all()";
}

/** Returns true if the pool serves requests. */
export function serves({ state, disabled }: Pool): boolean {
  return state === "active" && !disabled;
}

/** Returns the limit of blocks of a family for each host. */
export const capOf = ({ maxBlocksPerHost }: Settings): number =>
  maxBlocksPerHost ?? Number.POSITIVE_INFINITY;

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

/** The settings of a space without a configuration. */
export const SETTINGS_DEFAULT: Settings = {
  strictAffinity: false,
  autoAllocateBlocks: true,
  warmBlocksPerHost: 0,
  cooldownSeconds: COOLDOWN_SECONDS_DEFAULT,
  conflictQuarantineSeconds: CONFLICT_QUARANTINE_SECONDS_DEFAULT,
  blockMinAgeSeconds: BLOCK_MIN_AGE_SECONDS_DEFAULT,
  maxBlocksPerHost: BLOCKS_PER_HOST_DEFAULT,
  maxAddressesPerRequest: ADDRESSES_PER_REQUEST_DEFAULT,
  allowBareRelease: false,
  requireRegisteredHosts: false,
  nodeQuarantineSeconds: NODE_QUARANTINE_SECONDS_DEFAULT,
  goneNodesPercentMax: GONE_NODES_PERCENT_DEFAULT,
  nodeMonitorGraceSeconds: 0,
  nodeStartupGraceSeconds: NODE_STARTUP_GRACE_SECONDS_DEFAULT,
  indexedAttributes: [],
};

/** Checks that each setting has the type of its default. @throws {Error} */
export function assertSettings(settings: Settings): void {
  for (const [name, usual] of Object.entries(SETTINGS_DEFAULT)) {
    const value: unknown = settings[name as keyof Settings];
    if (name === "maxBlocksPerHost" && value === null) continue;
    if (Array.isArray(usual)) assertNames(name, value);
    else if (typeof usual === "number") assertWhole({ [name]: value as number });
    else if (typeof value !== "boolean") throw new Error(`its ${name} is no flag`);
  }
}

function assertNames(setting: string, value: unknown): void {
  const isList = Array.isArray(value) && value.every((name) => typeof name === "string");
  if (!isList) throw new Error(`its ${setting} is no list of names`);
}
