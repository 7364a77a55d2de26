import { BLOCKS_READ_AT_ONCE, REQUEST_MS_MAX } from "../../base/limits.ts";
import { formatCidr, sameCidr } from "../../net/cidr.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import { asHint } from "../core/bounded-work.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { type ClaimCharge, withClaimCharge } from "../quotas/claim-charge.ts";
import { affinitiesFor, type BlockAffinity } from "../values/affinity.ts";
import { type Block, roomIn, type SlotRules } from "../values/block.ts";
import { type FullBlock, type Places, saysFull } from "../values/full-block.ts";
import { helpClaim } from "./claim-block.ts";
import { callIfFull } from "./full-block-hint.ts";

/** The properties that a block of the host must have. */
export interface OwnBlockCriteria {
  /** The pools that may serve, in order. */
  readonly pools: readonly Pool[];
  rulesOf(pool: Pool): SlotRules;
  /** Returns a charge for a claim that is to be finished. */
  chargeOf(): ClaimCharge;
  /** Returns true if these blocks and those read before serve the whole request. */
  isEnough(blocks: readonly Block[]): boolean;
}

/** The affinities of a host that may serve a request, pool by pool, without blocks that are known already. */
export interface OwnPlaces {
  /** Their blocks are to be read. */
  readonly open: readonly BlockAffinity[];
  /** A hint calls their blocks full. */
  readonly full: readonly FullPlace[];
}

interface FullPlace {
  readonly affinity: BlockAffinity;
  readonly hint: FullBlock;
}

/** Sorts the places of a host by whether their blocks are called full. */
export function ownPlaces(
  context: Context,
  pools: readonly Pool[],
  places: Places,
  known: ReadonlyMap<string, Block>,
): OwnPlaces {
  const hints = new Map(places.full.map((hint) => [formatCidr(hint.block), hint]));
  const open: BlockAffinity[] = [];
  const full: FullPlace[] = [];
  for (const affinity of affinitiesFor(pools, places.affinities)) {
    const name = formatCidr(affinity.block);
    if (known.has(name)) continue;
    const hint = hints.get(name);
    if (hint && saysFull(hint, affinity, context.now())) full.push({ affinity, hint });
    else open.push(affinity);
  }
  return { open, full };
}

/**
 * Reads blocks of the host, a few at a time, until they suffice, and finishes half-done claims. If the host has more blocks than one
 * batch, it calls those without room full.
 */
export async function readOwn(
  context: Context,
  criteria: OwnBlockCriteria,
  { open, full }: OwnPlaces,
): Promise<{ readonly blocks: readonly Block[]; readonly claiming: boolean }> {
  const isMany = open.length + full.length > BLOCKS_READ_AT_ONCE;
  const blocks: Block[] = [];
  let claiming = false;
  for (
    let from = 0;
    from < open.length && !criteria.isEnough(blocks);
    from += BLOCKS_READ_AT_ONCE
  ) {
    const some = open.slice(from, from + BLOCKS_READ_AT_ONCE);
    const read = await inParallel(some, BLOCKS_READ_AT_ONCE, async (affinity) => {
      const claim = await finished(context, criteria, affinity);
      if (claim.kind !== "ours") return undefined;
      const pool = isMany && criteria.pools.find(({ id }) => id === claim.block.poolId);
      return pool
        ? callIfFull(context, affinity, claim.block, criteria.rulesOf(pool))
        : claim.block;
    });
    for (const [i, block] of read.entries()) {
      const affinity = some[i] as BlockAffinity;
      if (block) {
        blocks.push(block);
        context.cache.remember(block);
      } else if (affinity.state === "pending" && context.now() - affinity.atMs < REQUEST_MS_MAX)
        claiming = true;
    }
  }
  return { blocks, claiming };
}

/**
 * Reads blocks that are called full, a few at a time, after a request found nothing else, because a hint may be wrong.
 *
 * @returns the blocks with room; their hints are deleted
 */
export async function readCalledFull(
  context: Context,
  criteria: OwnBlockCriteria,
  full: readonly FullPlace[],
): Promise<readonly Block[]> {
  const read = await inParallel(full, BLOCKS_READ_AT_ONCE, async ({ affinity, hint }) => {
    const claim = await finished(context, criteria, affinity);
    const block = claim.kind === "ours" ? claim.block : undefined;
    const pool = criteria.pools.find(({ id }) => id === block?.poolId);
    if (!block || !pool || roomIn(block, criteria.rulesOf(pool)) === 0) return [];
    await asHint(() => context.store.clearBlockFull("full-wrong", hint));
    context.cache.remember(block);
    return [block];
  });
  return read.flat();
}

/** Reads the block of an affinity, or finishes its claim. */
const finished = (context: Context, criteria: OwnBlockCriteria, affinity: BlockAffinity) =>
  withClaimCharge(criteria.chargeOf(), (charge) =>
    helpClaim(context, criteria.pools, affinity, charge),
  );

/** Returns true if an unknown block lost its full-block hint meanwhile: then a release made room in it. */
export function hasOpened(before: OwnPlaces, now: OwnPlaces): boolean {
  return before.full.some(({ affinity }) =>
    now.open.some(({ block }) => sameCidr(block, affinity.block)),
  );
}
