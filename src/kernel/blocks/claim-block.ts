import { CLOCK_SKEW_MS_MAX, REQUEST_MS_MAX } from "../../base/limits.ts";
import { CorruptItemError, orCorrupt, type Rejection } from "../../base/outcome.ts";
import type { Cidr } from "../../net/cidr.ts";
import { type Pool, subnetIdOf } from "../../nouns/pool/pool.ts";
import type { BlockCharge } from "../../nouns/quota/block-charge.ts";
import { untilKnown } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { awaitAll } from "../core/parallel.ts";
import { type ClaimCharge, giveBackBlock } from "../quotas/claim-charge.ts";
import { type BlockAffinity, lowestFreePlace } from "../values/affinity.ts";
import type { Block } from "../values/block.ts";
import { type ClaimFields, claimedBlock } from "../values/block-changes.ts";
import { groupIndexOf, groupOf, isBlockOf } from "../values/block-group.ts";
import { fresh } from "../values/fresh.ts";
import type { HostId, HostReserved } from "../values/host.ts";
import { confirmAffinity, markPendingDeletion, restoreAffinity } from "./block-affinities.ts";

/** The result of a claim: the block, and its owner. */
export type Claim =
  | { readonly kind: "ours"; readonly block: Block }
  /** Another host was faster, or the answer is unknown: try another block. */
  | { readonly kind: "lost" }
  /** Another unfinished claim of the same host took the place meanwhile: look again. */
  | { readonly kind: "busy" }
  /** A quota allows no more blocks. */
  | { readonly kind: "refused"; readonly rejection: Rejection };

/** A host that claims a block, and the pool in which it does. */
export interface Claimant {
  readonly pool: Pool;
  readonly host: HostId;
  /** The host's affinities as just read. */
  readonly affinities: readonly BlockAffinity[];
  /**
   * The addresses that the host reserves for itself in the block. The affinity stores them as well, so that any function
   * that finishes the claim creates the same block. A claim leaves those of an existing block unchanged.
   */
  readonly hostReserved?: HostReserved | undefined;
  readonly charge: ClaimCharge;
}

/**
 * Claims a block for a host: affinity `pending` at the host's lowest free place → an empty block, put if absent (the
 * arbiter) → affinity `confirmed`. A claim that finds another claim in its place finishes that if its block is absent.
 */
export async function claimBlock(
  context: Context,
  { pool, host, affinities, hostReserved, charge }: Claimant,
  cidr: Cidr,
): Promise<Claim> {
  const { store } = context;
  const rejection = await charge.refusal();
  if (rejection) return { kind: "refused", rejection };
  const place = lowestFreePlace(affinities, cidr.family);
  const affinity: BlockAffinity = {
    space: pool.space,
    host,
    family: cidr.family,
    place,
    block: cidr,
    pool: pool.name,
    state: "pending",
    ...(hostReserved && { hostReserved }),
    revision: fresh(context),
    atMs: context.now(),
  };
  // Both items must exist before the block is put. Neither write waits for the other.
  const [placed] = await awaitAll(store.createAffinity(affinity), enterGroup(context, pool, cidr));
  if (placed.outcome === "unknown") return { kind: "lost" };
  const current = placed.item;
  if (!current) return { kind: "busy" };
  if (current.revision === affinity.revision) return finishClaim(context, pool, current, charge);
  return helpClaim(context, [pool], current, charge);
}

/** Reads the block of an affinity for its host. If there is none, it finishes a claim that was cut off, and deletes any other affinity. */
export async function helpClaim(
  context: Context,
  pools: readonly Pool[],
  affinity: BlockAffinity,
  charge: ClaimCharge,
): Promise<Claim> {
  const pool = pools.find((pool) => pool.name === affinity.pool && isBlockOf(pool, affinity.block));
  const there = await orCorrupt(context.store.readBlock(affinity.space, affinity.block));
  // An unreadable block serves no request. Its affinity stays, because the block may belong to the host.
  if (there instanceof CorruptItemError) return { kind: "busy" };
  if (there?.host === affinity.host)
    // A block that an earlier pool left behind serves no request.
    return there.poolId === pool?.id ? { kind: "ours", block: there } : { kind: "busy" };
  if (there) {
    // The function that wrote the affinity lost the block and was cut off before it deleted the affinity. The place is free again.
    const old = context.now() - affinity.atMs > REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX;
    if (old) await context.store.deleteAffinity("affinity-stale", affinity);
    return { kind: "busy" };
  }
  if (affinity.state !== "pending") {
    // The block is gone, and the function that had to delete its affinity was cut off. The place is free again.
    await context.store.deleteAffinity("affinity-orphan", affinity);
    return { kind: "busy" };
  }
  if (!pool) return { kind: "busy" };
  const rejection = await charge.refusal();
  if (rejection) return { kind: "refused", rejection };
  await enterGroup(context, pool, affinity.block);
  return finishClaim(context, pool, affinity, charge);
}

async function finishClaim(
  context: Context,
  pool: Pool,
  affinity: BlockAffinity,
  charge: ClaimCharge,
): Promise<Claim> {
  const { store } = context;
  const spent = charge.spend();
  const fields = claimFields(context, affinity.hostReserved, spent);
  const created = await store.createBlock(claimedBlock(affinity, pool, fields));
  if (created.outcome === "lost" && !isOf(created.item, affinity.host, fields))
    charge.restore(spent);
  const block =
    created.outcome === "unknown"
      ? await store.readBlock(affinity.space, affinity.block)
      : created.item;
  if (block?.host !== affinity.host || block.poolId !== pool.id) {
    // A creation of unknown outcome may still succeed. The block then has no affinity, and the reclaim run restores it (I4).
    await store.deleteAffinity("affinity-undo", affinity);
    return { kind: "lost" };
  }
  await confirm(context, affinity);
  return { kind: "ours", block };
}

/** Returns true if a block is of this claim, also if the claim lost: its request may have arrived twice. */
const isOf = (
  block: Block | undefined,
  host: HostId,
  { claimedAtMs }: Pick<ClaimFields, "claimedAtMs">,
): boolean => block?.host === host && block.claimedAtMs === claimedAtMs;

/** Confirms an affinity. Writes it again if the repair run treated it as stale, before the answer. */
async function confirm(context: Context, affinity: BlockAffinity): Promise<void> {
  if (!(await confirmAffinity(context, "affinity-confirm", affinity)))
    await restoreAffinity(context, affinity);
}

/**
 * Seizes an empty block of another host or of none: a new affinity pending → the old affinities pendingDeletion → the block,
 * under the revision seen, with a new epoch → the new affinity confirmed → the old affinities deleted. It seizes nothing if the block or
 * its affinities changed after the read. The reservation of the previous host ends, as if the block were deleted and claimed anew.
 */
export async function seizeBlock(
  context: Context,
  { pool, host, affinities, hostReserved, charge }: Claimant,
  seen: Block,
): Promise<Block | undefined> {
  const { store } = context;
  if (await charge.refusal()) return undefined;
  const { space, cidr } = seen;
  const affinity: BlockAffinity = {
    space,
    host,
    family: cidr.family,
    place: lowestFreePlace(affinities, cidr.family),
    block: cidr,
    pool: pool.name,
    state: "pending",
    // The affinity stores the reservation, because the block may be gone when another function finishes this claim.
    ...(hostReserved && { hostReserved }),
    revision: fresh(context),
    atMs: context.now(),
  };
  const placed = await store.createAffinity(affinity);
  if (placed.outcome !== "done") return undefined;
  const marked = await markPendingDeletion(context, seen);
  const spent = charge.spend();
  const fields = claimFields(context, hostReserved, spent);
  const changed = marked && (await store.changeHost("seize", seen, host, fields));
  const isUnknown = changed?.outcome === "unknown";
  if (!isUnknown && isOf(changed?.item, host, fields)) await giveBackBlock(context, seen);
  else if (!isUnknown) charge.restore(spent);
  const block = changed?.outcome === "unknown" ? await store.readBlock(space, cidr) : changed?.item;
  if (!marked || block?.host !== host) {
    await store.deleteAffinity("affinity-undo", affinity);
    return undefined;
  }
  await confirm(context, affinity);
  for (const old of marked) await store.deleteAffinity("affinity-drop", old);
  return block;
}

/** Draws the fields of a block that are new with each host. */
export const claimFields = (
  context: Context,
  hostReserved: HostReserved | undefined,
  charge?: BlockCharge,
): ClaimFields => ({
  epoch: fresh(context),
  revision: fresh(context),
  claimedAtMs: context.now(),
  ...(hostReserved && { hostReserved }),
  ...(charge && { charge }),
});

/** Enters a block group into the index before its first block is put, for readers that must see every block. */
export async function enterGroup(context: Context, pool: Pool, block: Cidr): Promise<void> {
  const index = groupIndexOf(pool, groupOf(block));
  const subnetId = subnetIdOf(pool);
  const known = `${pool.space}#${subnetId}#${index}`;
  if (context.cache.knowsGroup(known)) return;
  await untilKnown("a block group was entered into the block-group index", () =>
    context.store.addGroup(pool.space, subnetId, index),
  );
  context.cache.rememberGroup(known);
}
