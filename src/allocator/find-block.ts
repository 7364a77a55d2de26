import type { AffinityRow } from "../domain/affinity.ts";
import { type Block, roomIn, type SlotRules } from "../domain/block.ts";
import { type Cidr, formatCidr } from "../domain/cidr.ts";
import { type HostId, hostName } from "../domain/host.ts";
import {
  BLOCKS_READ_AT_ONCE,
  CLAIM_TRIES_MAX,
  CLAIM_WAIT_MS_MAX,
  CLAIM_WAITS_MAX,
  REQUEST_MS_MAX,
} from "../domain/limits.ts";
import { Contended, Refusal } from "../domain/outcome.ts";
import { cooldownMsOf, type Pool, type SpaceConfiguration } from "../domain/pool.ts";
import { claimBlock, findFreeBlocks, helpClaim } from "./claim.ts";
import type { Context } from "./context.ts";

/** What a request needs of a block. */
export interface BlockWish {
  readonly space: string;
  readonly host: HostId;
  /** Addresses that must come from one block. */
  readonly count: number;
  /** The pools that may serve, in order. */
  readonly pools: readonly Pool[];
  readonly configuration: SpaceConfiguration;
}

/** The rules by which slots of a pool's blocks may be given now. */
export function slotRules(
  context: Context,
  configuration: SpaceConfiguration,
  pool: Pool | undefined,
): SlotRules {
  return {
    nowMs: context.now(),
    cooldownMs: cooldownMsOf(pool, configuration.settings),
    reserved: configuration.reservations.flatMap(({ intervals }) => intervals),
  };
}

/** A block of the host that has room, as this function remembers it; nothing is asked. */
export function rememberedBlock(context: Context, wish: BlockWish): Block | undefined {
  const known = context.memory.blocksOf(wish.space, wish.host);
  return firstWithRoom(context, wish, known);
}

/**
 * Learns a block that can serve: one of the host's own with room, else one it claims now.
 *
 * @param rows the host's affinity rows, if they were read already
 */
export async function findBlock(
  context: Context,
  wish: BlockWish,
  rows?: readonly AffinityRow[],
): Promise<Block | Refusal> {
  const { store, random } = context;
  let standing = rows ?? (await store.listRows(wish.space, wish.host));
  for (let attempt = 0, waits = 0; attempt < CLAIM_TRIES_MAX; attempt++) {
    const own = await ownBlock(context, wish, standing);
    if (own.found) return own.found;
    let refusal: Refusal | undefined;
    if (own.claiming && waits < CLAIM_WAITS_MAX) {
      // Another function is claiming for this host: its block will do for both, where two would starve another host.
      waits++;
      await context.sleep(random.fraction() * CLAIM_WAIT_MS_MAX);
    } else {
      const claimed = await claim(context, wish, standing);
      if (claimed instanceof Refusal) refusal = claimed;
      else if (claimed) return claimed;
    }
    const now = await store.listRows(wish.space, wish.host);
    // A refusal is only true if the host got no block while it was looked for.
    if (refusal && sameBlocks(standing, now)) return refusal;
    standing = now;
  }
  throw new Contended(`other hosts claimed every block that was tried, ${CLAIM_TRIES_MAX} times`);
}

function sameBlocks(a: readonly AffinityRow[], b: readonly AffinityRow[]): boolean {
  const names = (rows: readonly AffinityRow[]) => rows.map(({ block }) => formatCidr(block)).sort();
  return names(a).join() === names(b).join();
}

/** Own with room: the blocks at the host's places are read a few at a time, and claims left half done are helped. */
async function ownBlock(
  context: Context,
  wish: BlockWish,
  rows: readonly AffinityRow[],
): Promise<{ readonly found?: Block; readonly claiming: boolean }> {
  const mine = wish.pools.flatMap(({ name }) => rows.filter(({ pool }) => pool === name));
  let claiming = false;
  for (let from = 0; from < mine.length; from += BLOCKS_READ_AT_ONCE) {
    const some = mine.slice(from, from + BLOCKS_READ_AT_ONCE);
    const claims = await Promise.all(some.map((row) => helpClaim(context, wish.pools, row)));
    const blocks = claims.flatMap((claim) => (claim.kind === "ours" ? [claim.block] : []));
    for (const block of blocks) context.memory.remember(block);
    const found = firstWithRoom(context, wish, blocks);
    if (found) return { found, claiming };
    claiming ||= some.some(
      (row, i) =>
        claims[i]?.kind === "busy" &&
        row.state === "pending" &&
        context.now() - row.atMs < REQUEST_MS_MAX,
    );
  }
  return { claiming };
}

/** Claims a block in the first pool that has a free one; nothing when another claim was faster and the rows are stale. */
async function claim(
  context: Context,
  wish: BlockWish,
  rows: readonly AffinityRow[],
): Promise<Block | Refusal | undefined> {
  const { configuration, host } = wish;
  const cap = configuration.settings.maxBlocksPerHost;
  const family = wish.pools[0]?.cidr.family;
  const count = rows.filter((row) => row.family === family).length;
  if (count >= cap)
    return new Refusal(
      "block_limit",
      `Host ${hostName(host)} has ${count} IPv${family} blocks, none with room for ${wish.count} more, and may have ${cap}.`,
      { blocks: count, maxBlocksPerHost: cap },
    );
  const looked: { pool: Pool; bounded: boolean }[] = [];
  for (const pool of wish.pools) {
    const { reserved } = slotRules(context, configuration, pool);
    const { candidates, bounded } = await findFreeBlocks(context, pool, host, reserved);
    looked.push({ pool, bounded });
    for (const cidr of candidates.slice(0, CLAIM_TRIES_MAX)) {
      const claim = await claimBlock(context, pool, host, rows, cidr);
      if (claim.kind === "busy") return undefined;
      if (claim.kind === "lost") continue;
      context.memory.remember(claim.block);
      // A helped claim may be of a smaller or fuller block than this request needs.
      return firstWithRoom(context, wish, [claim.block]);
    }
    if (candidates.length > 0) return undefined;
  }
  if (looked.some(({ bounded }) => bounded))
    throw new Contended("no free block in the cells looked at; the next try looks at others");
  const pools = wish.pools.map(({ name, cidr }) => ({ pool: name, cidr: formatCidr(cidr) }));
  return new Refusal(
    "pool_exhausted",
    `No block of host ${hostName(host)} has room for ${wish.count}, and no block is free in ${pools
      .map(({ pool, cidr }) => `${pool} (${cidr})`)
      .join(", ")}.`,
    { requested: wish.count, pools },
  );
}

/** The first pool in the caller's order whose block has room. */
function firstWithRoom(
  context: Context,
  wish: BlockWish,
  blocks: readonly Block[],
): Block | undefined {
  for (const pool of wish.pools) {
    const rules = slotRules(context, wish.configuration, pool);
    const found = blocks.find(
      (block) => block.pool === pool.name && roomIn(block, rules) >= wish.count,
    );
    if (found) return found;
  }
  return undefined;
}

/** The block of one given address: the host's own, or claimed now for it. */
export async function findBlockAt(
  context: Context,
  wish: BlockWish,
  pool: Pool,
  cidr: Cidr,
): Promise<Block | Refusal> {
  const { store } = context;
  for (let attempt = 0; attempt < CLAIM_TRIES_MAX; attempt++) {
    const there = await store.readBlock(wish.space, cidr);
    if (there?.host === wish.host) return there;
    if (there)
      return new Refusal(
        "block_not_owned",
        `The address lies in block ${formatCidr(cidr)}, which is affine to ${hostName(there.host)}, not to ${hostName(wish.host)}.`,
        { block: formatCidr(cidr), owner: hostName(there.host) },
      );
    const rows = await store.listRows(wish.space, wish.host);
    const cap = wish.configuration.settings.maxBlocksPerHost;
    const place = rows.find((row) => formatCidr(row.block) === formatCidr(cidr));
    const count = rows.filter((row) => row.family === cidr.family).length;
    if (!place && count >= cap)
      return new Refusal(
        "block_limit",
        `Host ${hostName(wish.host)} has ${count} IPv${cidr.family} blocks and may have ${cap}; the address is in none of them.`,
        { blocks: count, maxBlocksPerHost: cap },
      );
    if (place) await helpClaim(context, [pool], place);
    else await claimBlock(context, pool, wish.host, rows, cidr);
  }
  throw new Contended(`block ${formatCidr(cidr)} could not be claimed in ${CLAIM_TRIES_MAX} tries`);
}
