import { assertTexts, assertTimes, assertWhole } from "../../base/assertions.ts";
import { CLOCK_SKEW_MS_MAX, GRACE_MS, RELEASED_ALLOCATION_KEPT_MS } from "../../base/limits.ts";
import type { Missing } from "../../base/outcome.ts";
import { parseAddress } from "../../net/address.ts";
import { type Cidr, contains, ordinalOf, sizeOf } from "../../net/cidr.ts";
import { assertInstance, type Instance } from "../../nouns/application/workload.ts";
import { assertCharge, type Charge } from "../../nouns/quota/budget.ts";
import type { AllocationPlace } from "./allocation-place.ts";
import type { Block } from "./block.ts";
import type { HostId } from "./host.ts";
import type { Owners } from "./owner.ts";
import { assertQuotaSlotOfAllocation, type QuotaSlotOfAllocation } from "./quota-slot.ts";

/** An allocation that is due for repair, and since when; the index only suggests it. */
export interface Due {
  readonly place: AllocationPlace;
  readonly dueAtMs: number;
}

/** The share of one block in a request: the slots that one write takes or tries to take. */
export interface Part {
  readonly token: string;
  readonly block: Cidr;
  readonly count: number;
  /** The ordinals of the last try: a hint that saves a read. The block decides. */
  readonly ordinals: readonly number[];
  /** The ranged pool of its addresses; absent in a block that one pool has alone. */
  readonly pool?: string;
  /** The interface that its addresses are for; absent if the request named none. */
  readonly interface?: string;
  /** True if its addresses are those of the instance's application, which holds them again when they are freed (I15). */
  readonly ofApplication?: true;
  /** True if a slot of it had been released when it was selected for a node that uses it: it cools again, whoever frees it (I9). */
  readonly coolsAgain?: true;
}

/** The attributes by which indexes lead to an allocation. Its entries have this revision, unless a walk wrote them anew. */
export interface Indexed {
  readonly attributes: readonly string[];
  readonly revision: string;
}

export const ALLOCATION_STATES = ["live", "kept", "pending", "aborted", "released"] as const;

/**
 * The hold of one request on addresses. Plat writes it before its slots, and deletes it after them (I3).
 *
 * `live`: the slots decide. `kept`: the slots stay taken for the next incarnation of an instance. `pending`: not all writes are
 * done. `aborted`: nobody answers it, and Plat frees what it holds.
 * `released`: ended. Plat keeps a keyed one for a while, so that a late duplicate gets `already_released`.
 */
export interface Allocation {
  readonly place: AllocationPlace;
  readonly state: (typeof ALLOCATION_STATES)[number];
  readonly handle: string;
  /** The instance of a workload that has the addresses; absent if the request named none. */
  readonly workload?: Instance;
  /** The host of the request; of a kept allocation, the last or the next one. */
  readonly host: HostId;
  readonly attributes: Readonly<Record<string, string>>;
  /** The caller of the first request; absent if callers are unknown. A replay by another caller does not change it. */
  readonly assignedBy?: string;
  /** The owners that a caller has changed, by the address as text. */
  readonly owners: ReadonlyMap<string, Owners>;
  /** The number of requested addresses, or of available ones when the allocation became live. */
  readonly want: number;
  /** The missing addresses of a request that accepts a part; a replay returns the same. */
  readonly missing: readonly Missing[];
  readonly parts: readonly Part[];
  /** Addresses of this allocation that were released by themselves, as text. */
  readonly released: ReadonlySet<string>;
  /** Those of them that were reported as conflicts, so that every caller that frees one leaves it in quarantine. */
  readonly conflicts: ReadonlySet<string>;
  /** Digest of the request's body. Plat rejects the same key with another body. */
  readonly digest: string;
  /** The budgets of quotas that count it. They counted it before it was written (I21). */
  readonly charges: readonly Charge[];
  /** Its entries in the indexes of attributes, as they were written before its slots (I22); absent without any. */
  readonly indexed?: Indexed;
  /** Its quota slots, for a handle with a limit. */
  readonly quotaSlots: readonly QuotaSlotOfAllocation[];
  /**
   * Generations that the answer also had: other requests of the handle got these addresses, and the limit counts them.
   */
  readonly reused: readonly string[];
  readonly revision: string;
  /** The time of its assign, or of the last change of its state. */
  readonly atMs: number;
  /** The time at which an address of it was last released by itself, and others were left; absent before the first. */
  readonly freedAtMs?: number;
  /** The end of the lease, in milliseconds since the epoch; absent without a lease. */
  readonly expiresAtMs?: number;
  /** The id of the pool that was made of its prefix. While that pool exists, nothing releases the prefix (I23). */
  readonly childId?: string;
}

/** A change of an allocation: one of its addresses was released by itself. */
export interface FreedMark {
  readonly address: string;
  /** True if the address was reported as a conflict. */
  readonly isConflict: boolean;
  /** True if the allocation has no other: it is over. */
  readonly complete: boolean;
  readonly revision: string;
  readonly atMs: number;
  /** The time at which the repair run looks at the allocation; absent for that of an instance. */
  readonly dueAtMs?: number;
  /** The incarnation of the instance that the generation names, and the state of its allocation; absent without a workload. */
  readonly instance?: { readonly incarnation: string; readonly state: "live" | "kept" };
}

/** A change of the allocation of an instance: its slots stay taken for the next incarnation. */
export interface KeptMark {
  readonly incarnation: string;
  readonly revision: string;
  readonly atMs: number;
}

/** Checks that an allocation has its revision and its tokens, and that its parts fit into their blocks. @throws {Error} */
export function assertAllocation(allocation: Allocation): void {
  const { place, handle, host, digest, revision, want, parts, quotaSlots } = allocation;
  const { childId = "none" } = allocation;
  const { space, handleHash, id } = place;
  assertTexts({ space, handleHash, id, handle, host, digest, revision, childId });
  assertWhole({ want });
  assertTimes(allocation.atMs, allocation.freedAtMs, allocation.expiresAtMs);
  if (allocation.workload) assertInstance(allocation.workload);
  for (const part of parts) assertPart(part);
  if (!allocation.workload && parts.some(({ ofApplication }) => ofApplication))
    throw new Error("a part of it is an application's, and it names no instance");
  for (const quotaSlot of quotaSlots) assertQuotaSlotOfAllocation(quotaSlot);
  if (allocation.indexed) assertTexts({ "index entry": allocation.indexed.revision });
  for (const charge of allocation.charges) assertCharge(charge);
  for (const { code, count } of allocation.missing) {
    assertTexts({ code });
    assertWhole({ count }, 1);
  }
}

function assertPart(part: Part): void {
  const { token, block, count, ordinals, pool = "none", interface: of = "none" } = part;
  assertTexts({ token, pool, interface: of });
  assertWhole({ count }, 1);
  const last = Number(sizeOf(block)) - 1;
  const astray = ordinals.find((n) => !(Number.isInteger(n) && n >= 0 && n <= last));
  if (astray !== undefined) throw new Error(`a part of it has an ordinal ${astray}, after ${last}`);
  if (ordinals.length > count || count > last + 1)
    throw new Error(
      `a part of it has ${ordinals.length} ordinals for ${count} addresses, of ${last + 1}`,
    );
}

/**
 * Returns when repair should visit the allocation. A live one without a lease is never due, and so
 * costs no index write. The walk finds it if its author crashed or if it holds nothing any more. A
 * released one that is kept for its key is due while it names parts, because a cut-off release may
 * have left their slots taken. It is due again at the end of its time. That of an instance is never due after its end: the next
 * incarnation of the instance finds it under its handle, and else the walk does.
 */
export function dueAtMsOf(allocation: Allocation): number | undefined {
  if (isOver(allocation)) {
    if (allocation.workload) return undefined;
    const keptMs = isKeptForKey(allocation) ? RELEASED_ALLOCATION_KEPT_MS : GRACE_MS;
    return changedAtMs(allocation) + keptMs;
  }
  return isHolding(allocation) ? expiredAtMs(allocation) : allocation.atMs + GRACE_MS;
}

/** Returns the time of the last change that a caller made. */
export const changedAtMs = ({ atMs, freedAtMs = 0 }: Allocation): number =>
  Math.max(atMs, freedAtMs);

/** Returns true if the allocation has the addresses that it names, for a caller or for the next incarnation of an instance. */
export const isHolding = ({ state }: Pick<Allocation, "state">): boolean =>
  state === "live" || state === "kept";

/** Returns true if Plat keeps the allocation for a while after its release, for late duplicates of its request. */
export const outlivesRelease = ({ place, workload }: Allocation): boolean =>
  place.keyed && workload === undefined;

/** Returns true if the lease has ended on every clock. */
export function isExpired(allocation: Allocation, nowMs: number): boolean {
  return nowMs >= (expiredAtMs(allocation) ?? Number.POSITIVE_INFINITY);
}

const expiredAtMs = ({ expiresAtMs }: Allocation): number | undefined =>
  expiresAtMs === undefined ? undefined : expiresAtMs + CLOCK_SKEW_MS_MAX;

/** Returns true if the allocation holds nothing any more and must never start again. */
export function isOver(allocation: Allocation): boolean {
  return (
    allocation.state === "released" ||
    (isHolding(allocation) && allocation.released.size >= allocation.want)
  );
}

/** Returns true if the allocation is kept for its key alone, so that only its deletion is left. */
export function isKeptForKey(allocation: Allocation): boolean {
  return outlivesRelease(allocation) && isOver(allocation) && allocation.parts.length === 0;
}

/**
 * Returns the owners of an address of an allocation. Until a caller changes them, the attributes of the request are
 * those of the active owner.
 */
export function ownersAt(
  { owners, attributes }: Pick<Allocation, "owners" | "attributes">,
  address: string,
): Owners {
  const changed = owners.get(address);
  if (changed) return changed;
  return Object.keys(attributes).length > 0 ? { active: attributes } : {};
}

/** Returns the pool of the addresses that a part has in a block. */
export const poolOfPart = ({ pool }: Part, block: Pick<Block, "pool">): string =>
  pool ?? block.pool;

/**
 * Returns true if the block of a part belongs to another host, or to none. Every host has its share of a ranged pool's blocks, and a
 * prefix has no host but the one that has all of it.
 */
export const isBorrowed = (
  { host }: Pick<Allocation, "host">,
  { pool }: Part,
  block: Pick<Block, "host" | "whole"> | undefined,
): boolean => pool === undefined && !block?.whole && block?.host !== host;

/** Bytes of its attribute names, key, handle and host, and of all other fields with a fixed bound. */
const FIXED_BYTES = 2_000;
/** A token, the text of an IPv6 block, a count, a mark, and the names of these, of the pool and of the interface. */
const PART_BYTES = 160;
const ORDINAL_BYTES = 6;
/** The text of an IPv6 address, in the set of released addresses and in that of conflicts. */
const RELEASED_BYTES = 96;

/**
 * Returns the maximum size of an allocation's item in bytes, including the state in which all its addresses are freed.
 * JSON has a quote, a colon or a comma for every byte that DynamoDB counts besides names and values. So the JSON text
 * is never shorter than the item.
 */
export function allocationBytes({
  attributes,
  assignedBy,
  charges,
  indexed,
  owners,
  parts,
  quotaSlots,
  reused,
  want,
  workload,
}: Allocation): number {
  const texts = JSON.stringify([
    attributes,
    assignedBy,
    charges,
    indexed,
    [...owners],
    quotaSlots,
    reused,
    workload,
  ]);
  const slots = parts.reduce((sum, { ordinals, pool = "", interface: of = "" }) => {
    const names = pool.length + of.length;
    return sum + PART_BYTES + names + ORDINAL_BYTES * ordinals.length;
  }, 0);
  return FIXED_BYTES + Buffer.byteLength(texts) + slots + RELEASED_BYTES * want;
}

/** Returns the ordinals of a part that the allocation lists as released. */
export const releasedOrdinals = ({ released }: Allocation, part: Part): ReadonlySet<number> =>
  ordinalsIn(part, released);

/** Returns the ordinals of those addresses, given as text, that lie in the block of a part. */
export function ordinalsIn({ block }: Part, addresses: ReadonlySet<string>): ReadonlySet<number> {
  const parsed = [...addresses].map(parseAddress).flatMap((text) => (text.ok ? [text.value] : []));
  return new Set(parsed.filter((a) => contains(block, a)).map((a) => ordinalOf(block, a)));
}
