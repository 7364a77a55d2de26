import { assertTexts, assertTimes } from "../../base/assertions.ts";
import type { Cidr } from "../../net/cidr.ts";
import { assignsPrefixes, type Pool, subnetIdOf } from "../../nouns/pool/pool.ts";
import { assertBlockCharge, type BlockCharge } from "../../nouns/quota/block-charge.ts";
import type { BlockAffinity } from "./affinity.ts";
import type { Block, Filling } from "./block.ts";
import { assertHostReserved, type HostId, type HostReserved } from "./host.ts";
import type { ReleasedSlot, Slot } from "./slot.ts";

/**
 * One write's change of a block, as a JSON merge patch (RFC 7396): a value replaces, `null` removes, and an absent field stays.
 * `src/kernel/items/block.ts` turns it into the update of an item, and adds the conditions of the write.
 */
export interface BlockChange {
  /** By ordinal; `null` makes a slot unused. Instead of a map, `null` makes all slots unused. */
  readonly slots?: ReadonlyMap<number, Slot | null> | null;
  readonly idleSinceMs?: number | null;
  readonly calledFull?: true | null;
  readonly fullWith?: number | null;
  readonly leased?: true | null;
  readonly host?: HostId | null;
  readonly epoch?: string;
  readonly revision?: string;
  readonly claimedAtMs?: number;
  readonly hostReserved?: HostReserved | null;
  readonly charge?: BlockCharge | null;
}

/** Checks that a changed block still has what `assertBlock` asks for. @throws {Error} */
export function assertBlockChange(change: BlockChange): void {
  const { epoch, revision, claimedAtMs, idleSinceMs } = change;
  assertTexts({
    ...(epoch !== undefined && { epoch }),
    ...(revision !== undefined && { revision }),
  });
  assertTimes(claimedAtMs, idleSinceMs ?? undefined);
  assertHostReserved(change);
  if (change.charge) assertBlockCharge(change.charge);
}

/** The fields of a block that are new with each host: after a claim, a seizure or a disowning. */
export interface ClaimFields {
  readonly epoch: string;
  readonly revision: string;
  readonly claimedAtMs: number;
  /** The new host-reserved addresses; absent means none. */
  readonly hostReserved?: HostReserved;
  /** The quotas that count the claim; absent means none. */
  readonly charge?: BlockCharge;
}

/**
 * Returns an empty block of the host of an affinity. Plat wrote the affinity before it (I4). Its
 * new epoch rejects late writes to an earlier block of the same range, whose allocations may be
 * gone (I3).
 */
export function claimedBlock(affinity: BlockAffinity, pool: Pool, fresh: ClaimFields): Block {
  const { epoch, revision, claimedAtMs, hostReserved, charge } = fresh;
  return {
    space: affinity.space,
    cidr: affinity.block,
    pool: pool.name,
    poolId: pool.id,
    host: affinity.host,
    claimedAtMs,
    ...(hostReserved && { hostReserved }),
    ...(charge && { charge }),
    slots: new Map(),
    epoch,
    revision,
  };
}

/**
 * Returns an empty block of a ranged pool, or a free prefix. It has no host: every host takes from it, and has a borrowed-block
 * entry before it does (I11).
 */
export function newSharedBlock(pool: Pool, cidr: Cidr, fresh: ClaimFields): Block {
  const { epoch, revision, claimedAtMs } = fresh;
  return {
    space: pool.space,
    cidr,
    ...(assignsPrefixes(pool) && { whole: true }),
    pool: pool.name,
    poolId: subnetIdOf(pool),
    claimedAtMs,
    slots: new Map(),
    epoch,
    revision,
  };
}

/** Slots that one request takes, or that an application holds: their ordinals, and the slot that each becomes. */
export interface TakenSlots {
  readonly ordinals: readonly number[];
  readonly taken: Slot;
}

/**
 * Takes slots, each for its own token. It removes the idle mark and changes the revision, so that a deletion
 * cannot miss the assign (I6).
 *
 * @param notes.filling how far the block was from being wholly taken, for its author. The write that fills it notes that
 * @param notes.leased true if the addresses have a lease, and the block has no note of one
 */
export function takingSlots(
  takes: readonly TakenSlots[],
  revision: string,
  { filling, leased }: TakeNotes = {},
): BlockChange {
  const slots = takes.flatMap(({ ordinals, taken }) => [...eachTo(ordinals, taken)]);
  const isFilled = filling?.left === slots.length;
  return {
    slots: new Map(slots),
    revision,
    idleSinceMs: null,
    ...(isFilled && { fullWith: filling.takenMax }),
    ...(leased && { leased }),
  };
}

/** The notes that a write which takes slots leaves in their block. */
export interface TakeNotes {
  readonly filling?: Filling | undefined;
  readonly leased?: true | undefined;
}

/**
 * Frees slots. They cool from the time of the release on (I9), are in quarantine (I16), are held for the application
 * that they were taken from (I15), or become unused if no caller was told of them. The new revision makes a deletion or a seizure notice the release.
 */
export const freeingSlots = (freed: FreedSlots, revision: string): BlockChange => ({
  slots: freed,
  revision,
});

/** The freed ordinals, each with its slot afterwards. */
export type FreedSlots = ReadonlyMap<number, FreedSlot>;

/** A slot after its release; `null` for one that no caller was told of. */
export type FreedSlot = ReleasedSlot | HeldSlot["seen"] | null;

/** A change of a released slot: its ordinal, and the slot before and after. */
export interface ReleasedChange {
  readonly ordinal: number;
  readonly seen: ReleasedSlot;
  readonly next: ReleasedSlot;
}

/**
 * Lets held addresses of an application go. They cool, and the new epoch rejects a late write of an author that saw them free
 * before they were held (rule 1).
 */
export const freeingHeldSlots = (
  held: readonly HeldSlot[],
  sinceMs: number,
  { epoch, revision }: Pick<ClaimFields, "epoch" | "revision">,
): BlockChange => ({
  slots: new Map(
    held.map(({ ordinal, seen: { token } }) => [ordinal, { kind: "cooling", token, sinceMs }]),
  ),
  epoch,
  revision,
});

/** A held slot as its reader saw it. */
export interface HeldSlot {
  readonly ordinal: number;
  readonly seen: Slot & { readonly kind: "held" };
}

/**
 * Fences a block. A write under an earlier epoch then fails, so that no slot is taken for a deleted
 * allocation (I3).
 */
export const fencing = (epoch: string): BlockChange => ({ epoch });

/**
 * A note of a full block: its host may have a hint of it, or the number of slots that are taken. Epoch and revision stay, because a
 * note decides nothing and no invariant depends on it.
 */
export type FullNote = { readonly calledFull: true } | { readonly fullWith: number };

/**
 * Seizes a block for another host, or disowns it. The new epoch rejects every write that was sent
 * under the host before (I10). The new claim time and the missing idle mark keep the block from
 * deletion until its minimum age is over again (I6). A disowned block still counts for the quotas of the claim before.
 *
 * @param host absent if the block belongs to no host from then on
 */
export function changingHost(
  host: HostId | undefined,
  { epoch, revision, claimedAtMs, hostReserved, charge }: ClaimFields,
): BlockChange {
  return {
    host: host ?? null,
    epoch,
    revision,
    claimedAtMs,
    hostReserved: hostReserved ?? null,
    idleSinceMs: null,
    calledFull: null,
    fullWith: null,
    leased: null,
    ...(host !== undefined && { charge: charge ?? null }),
  };
}

/**
 * Charges a block to other quotas, or to later rounds of their budgets. The new revision makes a deletion or a seizure notice the
 * quotas to which it has to give back.
 */
export const recharging = (charge: BlockCharge | undefined, revision: string): BlockChange => ({
  charge: charge ?? null,
  revision,
});

/**
 * Marks an empty block as idle and drops its cooled slots. Only a block with the mark is deleted
 * (I6).
 */
export const markingIdle = (nowMs: number, revision: string): BlockChange => ({
  slots: null,
  idleSinceMs: nowMs,
  leased: null,
  revision,
});

const eachTo = (ordinals: readonly number[], slot: Slot | null) =>
  new Map(ordinals.map((ordinal) => [ordinal, slot]));
