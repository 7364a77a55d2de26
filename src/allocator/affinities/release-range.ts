import { type Address, compareAddresses } from "../../domain/address.ts";
import type { BlockAffinity } from "../../domain/affinity.ts";
import { type Block, coolingIn, isEmpty, takenIn } from "../../domain/block.ts";
import { addressAt, type Cidr, contains, formatCidr, sameCidr } from "../../domain/cidr.ts";
import type { HostId } from "../../domain/host.ts";
import {
  AFFINITIES_RELEASED_AT_ONCE,
  AFFINITIES_RELEASED_MAX,
  BLOCK_SIZES,
  CLOCK_SKEW_MS_MAX,
  REQUEST_MS_MAX,
  SWAP_TRIES_MAX,
} from "../../domain/limits.ts";
import { CorruptItemError, type Rejection } from "../../domain/outcome.ts";
import { cooldownMsOf, poolOfId } from "../../domain/pool.ts";
import { deleteEmptyBlock } from "../blocks/delete-empty-block.ts";
import { disown } from "../blocks/disown-block.ts";
import { clearAround } from "../blocks/full-group-hint.ts";
import { BoundedWork } from "../core/bounded-work.ts";
import { untilAnswered } from "../core/compare-and-swap.ts";
import { configurationOf, poolAt } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { asHint } from "../core/hint.ts";
import type { Page } from "../core/page.ts";
import { inParallel } from "../core/parallel.ts";
import { answer, RETRY } from "../core/step.ts";
import { tooSmall } from "./too-small.ts";

/** The result for a host's affinity to one block. */
export interface ReleasedAffinity {
  readonly cidr: string;
  /**
   * `deleted`: the block was empty, and is gone. `disowned`: it serves on without an owner, and goes with its last address.
   * `not_empty`: it was to be empty, and stays the host's. `not_owned`: it is not the host's. `contended`: it kept changing.
   * `unreadable`: it, or what it is judged by, cannot be read, so it stays as it is.
   */
  readonly status: "deleted" | "disowned" | "not_empty" | "not_owned" | "contended" | "unreadable";
  /** Of a block that is not empty: how many of its addresses somebody has, and how many cool. */
  readonly inUse?: number;
  readonly cooling?: number;
  /** The error of an unreadable item. */
  readonly unreadable?: CorruptItemError;
}

/** The host and the blocks whose affinities are released. */
interface Releasing {
  readonly space: string;
  readonly host: HostId;
  /** Is a block with an address that is assigned, or cools, to stay the host's? */
  readonly mustBeEmpty: boolean;
}

interface ReleasingBlock extends Releasing {
  readonly cidr: Cidr;
  /** The block as a strongly consistent look saw it. */
  readonly seen?: Block;
}

/**
 * Releases the affinities of a host in a range: that to the one block, or to each of its blocks there (Calico's
 * ReleaseAffinity). Of a block that is another's it says so; of a range it tells of the host's own.
 *
 * @returns as `releaseAffinities` does; or that the range is less than a block of its pool
 * @throws {CorruptItemError} where the range may begin in a pool that cannot be read
 */
export async function releaseRange(
  context: Context,
  {
    cidr,
    ...releasing
  }: Releasing & { readonly cidr: Cidr; readonly position?: Address | undefined },
): Promise<Page<ReleasedAffinity, Address> | Rejection> {
  const pool = await poolAt(context, releasing.space, addressAt(cidr, 0));
  // Where no pool says how large a block is, it is one of any size that there may be.
  const prefixMin = pool?.blockSize ?? BLOCK_SIZES[cidr.family].min;
  if (cidr.prefix < prefixMin) return releaseAffinities(context, { ...releasing, within: cidr });
  if (pool && cidr.prefix > prefixMin) return tooSmall(cidr, pool);
  return { items: [await releaseOne(context, { ...releasing, cidr })] };
}

/**
 * Releases the affinities of a host, of both families, each block by itself (Calico's ReleaseHostAffinities, and
 * RemoveIPAMHost). Addresses stay their owners'. A host that has none is none the worse for it; what an earlier release that
 * was cut off has left is finished.
 *
 * @param position only blocks after this address
 * @param within only blocks in this range
 * @returns what became of each, as many as one request does
 */
export async function releaseAffinities(
  context: Context,
  {
    position,
    within,
    ...releasing
  }: Releasing & { readonly position?: Address | undefined; readonly within?: Cidr | undefined },
): Promise<Page<ReleasedAffinity, Address>> {
  const work = new BoundedWork(context);
  const affinities = await context.store.listAffinities(releasing.space, releasing.host);
  const cidrs = [...new Map(affinities.map(({ block }) => [formatCidr(block), block])).values()]
    .filter((cidr) => !within || contains(within, addressAt(cidr, 0)))
    .filter((cidr) => !position || compareAddresses(addressAt(cidr, 0), position) > 0)
    .sort((a, b) => compareAddresses(addressAt(a, 0), addressAt(b, 0)));
  const items: ReleasedAffinity[] = [];
  while (items.length < cidrs.length) {
    if (items.length >= AFFINITIES_RELEASED_MAX) work.cut();
    const last = cidrs[items.length - 1];
    if (last && !work.mayBegin()) return { items, next: addressAt(last, 0) };
    const some = cidrs.slice(items.length, items.length + AFFINITIES_RELEASED_AT_ONCE);
    const results = await inParallel(some, AFFINITIES_RELEASED_AT_ONCE, (cidr) =>
      work.trying(() => releaseOne(context, { ...releasing, cidr })),
    );
    // Up to the first that failed: what was done after it the next page finds done.
    const told = results.indexOf(undefined);
    items.push(
      ...results.slice(0, told < 0 ? undefined : told).filter((each) => each !== undefined),
    );
    if (items.length === 0) throw work.failure;
    if (told >= 0) work.cut();
  }
  return { items };
}

/** As `releaseAffinity`; where the block went, its block group is not full. */
async function releaseOne(
  context: Context,
  releasing: Releasing & { readonly cidr: Cidr },
): Promise<ReleasedAffinity> {
  const released = await releaseAffinity(context, releasing);
  if (released.status === "deleted")
    await asHint(() => clearAround(context, releasing.space, releasing.cidr));
  return released;
}

/**
 * Takes one block from its host (Calico's ReleaseBlockAffinity): an empty one past its minimum age goes (I6), any other
 * serves on without an owner until the reclaimer finds it empty.
 */
export async function releaseAffinity(
  context: Context,
  releasing: ReleasingBlock,
): Promise<ReleasedAffinity> {
  try {
    return { cidr: formatCidr(releasing.cidr), ...(await release(context, releasing)) };
  } catch (error) {
    // It is no reason to keep the others.
    if (error instanceof CorruptItemError)
      return { cidr: formatCidr(releasing.cidr), status: "unreadable", unreadable: error };
    throw error;
  }
}

type Released = Omit<ReleasedAffinity, "cidr">;

async function release(
  context: Context,
  { space, host, mustBeEmpty, cidr, seen }: ReleasingBlock,
): Promise<Released> {
  let wasOurs = false;
  const exhausted = () => ({ status: "contended" }) as const;
  return untilAnswered<Released>({ triesMax: SWAP_TRIES_MAX, exhausted }, async (before) => {
    const block = (before === 0 && seen) || (await context.store.readBlock(space, cidr));
    if (block?.host !== host) {
      // A claim may have ended since: affinities say that the block is not the host's only by a look that is younger than they are.
      const affinities = await context.store.listAffinities(space, host);
      if ((await context.store.readBlock(space, cidr))?.host === host) return RETRY;
      await dropAffinities(context, affinities, cidr);
      if (!wasOurs) return answer({ status: "not_owned" });
      // A write of ours whose outcome was unknown, or somebody who wanted the same.
      return answer({ status: block ? "disowned" : "deleted" });
    }
    wasOurs = true;
    const configuration = await configurationOf(context, space);
    const { settings } = configuration;
    const pool = poolOfId(configuration, block.poolId);
    const nowMs = context.now();
    const cooldownMs = cooldownMsOf(pool, settings);
    const usage = { inUse: takenIn(block), cooling: coolingIn(block, nowMs, cooldownMs) };
    const empty = isEmpty(block, { nowMs, cooldownMs });
    if (mustBeEmpty && !empty) return answer({ status: "not_empty", ...usage });
    if (empty && nowMs - block.claimedAtMs >= 1000 * settings.blockMinAgeSeconds) {
      if (await deleteEmptyBlock(context, block)) return answer({ status: "deleted" });
    } else if (await disown(context, block)) return answer({ status: "disowned", ...usage });
    return RETRY;
  });
}

/** Affinities of a block that is not the host's: what was cut off before its last step is finished. */
async function dropAffinities(
  context: Context,
  affinities: readonly BlockAffinity[],
  cidr: Cidr,
): Promise<void> {
  // The author of a claim may be about to put its block; an affinity that went would let the host have one more than it may.
  const isBeingClaimed = ({ state, atMs }: BlockAffinity) =>
    state === "pending" && context.now() - atMs <= REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX;
  for (const affinity of affinities)
    if (sameCidr(affinity.block, cidr) && !isBeingClaimed(affinity))
      await context.store.deleteAffinity("affinity-drop", affinity);
}
