import { BLOCK_SIZES, CLOCK_SKEW_MS_MAX, REQUEST_MS_MAX } from "../../base/limits.ts";
import type { Page } from "../../base/listed.ts";
import { CorruptItemError, type Rejection } from "../../base/outcome.ts";
import { type Address, compareAddresses } from "../../net/address.ts";
import { addressAt, type Cidr, contains, formatCidr, sameCidr } from "../../net/cidr.ts";
import { cooldownMsOfSubnet, poolOfSubnet } from "../../nouns/pool/subnet.ts";
import { deleteEmptyBlock } from "../blocks/delete-empty-block.ts";
import { disown } from "../blocks/disown-block.ts";
import { clearAround } from "../blocks/full-group-hint.ts";
import { asHint, BoundedWork } from "../core/bounded-work.ts";
import { answer, RETRY, untilAnswered } from "../core/compare-and-swap.ts";
import { configurationOf, poolAt } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import type { BlockAffinity } from "../values/affinity.ts";
import { type Block, coolingIn, isEmpty, takenIn } from "../values/block.ts";
import type { HostId } from "../values/host.ts";
import { SWAP_TRIES_MAX } from "../values/limits.ts";
import { tooSmall } from "./claim-range.ts";

/** Blocks of a host that one request releases, some in parallel; the next request continues after them. */
export const AFFINITIES_RELEASED_MAX = 64;
const AFFINITIES_RELEASED_AT_ONCE = 4;

/** The result for a host's affinity to one block. */
export interface ReleasedAffinity {
  readonly cidr: string;
  /**
   * `deleted`: the block was empty, and is deleted. `disowned`: it is in use without an owner, and is deleted after its
   * last address is released. `not_empty`: the request demands an empty block, so the block stays the host's.
   * `not_owned`: it does not belong to the host. `contended`: it kept changing. `unreadable`: the block, or an item
   * that decides about it, cannot be read, so nothing changes.
   */
  readonly status: "deleted" | "disowned" | "not_empty" | "not_owned" | "contended" | "unreadable";
  /** The number of assigned addresses of a block that is not empty; `cooling` counts its cooling ones. */
  readonly inUse?: number;
  readonly cooling?: number;
  /** The error of an unreadable item. */
  readonly unreadable?: CorruptItemError;
}

/** The host and the blocks whose affinities are released. */
interface Releasing {
  readonly space: string;
  readonly host: HostId;
  /** True if a block with an assigned or cooling address must stay the host's. */
  readonly mustBeEmpty: boolean;
}

interface ReleasingBlock extends Releasing {
  readonly cidr: Cidr;
  /** The block as a strongly consistent read returned it. */
  readonly seen?: Block;
}

/**
 * Releases the affinities of a host in a range: that of one block, or those of all the host's blocks in it (Calico's
 * ReleaseAffinity). For a single block of another host, the result is `not_owned`. For a larger range, the result lists
 * only the host's own blocks.
 *
 * @returns as `releaseAffinities` does; or a rejection if the range is smaller than a block of its pool
 * @throws {CorruptItemError} if the range may begin in an unreadable pool
 */
export async function releaseRange(
  context: Context,
  {
    cidr,
    ...releasing
  }: Releasing & { readonly cidr: Cidr; readonly position?: Address | undefined },
): Promise<Page<ReleasedAffinity, Address> | Rejection> {
  const pool = await poolAt(context, releasing.space, addressAt(cidr, 0));
  // Without a pool, the size of a block is unknown, so any possible block size counts as one block.
  const prefixMin = pool?.blockSize ?? BLOCK_SIZES[cidr.family].min;
  if (cidr.prefix < prefixMin) return releaseAffinities(context, { ...releasing, within: cidr });
  if (pool && cidr.prefix > prefixMin) return tooSmall(cidr, pool);
  return { items: [await releaseOne(context, { ...releasing, cidr })] };
}

/**
 * Releases the affinities of a host, of both families, block by block (Calico's ReleaseHostAffinities, and
 * RemoveIPAMHost). Assignments stay valid. A host without affinities is no error. The call also finishes an earlier
 * release that was interrupted.
 *
 * @param position releases only blocks after this address
 * @param within releases only blocks in this range
 * @returns the result for each block, as many as one request releases
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
    // The answer ends before the first block that failed. The next page finds later blocks already released.
    const told = results.indexOf(undefined);
    items.push(
      ...results.slice(0, told < 0 ? undefined : told).filter((each) => each !== undefined),
    );
    if (items.length === 0) throw work.failure;
    if (told >= 0) work.cut();
  }
  return { items };
}

/** Releases one affinity as `releaseAffinity` does. If the block is deleted, its block group is no longer full. */
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
 * Releases the affinity of one block (Calico's ReleaseBlockAffinity). An empty block past its minimum age is deleted
 * (I6). Any other stays without an owner until the reclaim run finds it empty.
 */
export async function releaseAffinity(
  context: Context,
  releasing: ReleasingBlock,
): Promise<ReleasedAffinity> {
  try {
    return { cidr: formatCidr(releasing.cidr), ...(await release(context, releasing)) };
  } catch (error) {
    // An unreadable block does not keep the others from their release.
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
      // A claim may have finished after the first read. The affinities prove that the block is not the host's only if
      // the block is read after them.
      const affinities = await context.store.listAffinities(space, host);
      if ((await context.store.readBlock(space, cidr))?.host === host) return RETRY;
      await deleteAffinities(context, affinities, cidr);
      if (!wasOurs) return answer({ status: "not_owned" });
      // An earlier write of this call had an unknown outcome, or another request did the same.
      return answer({ status: block ? "disowned" : "deleted" });
    }
    wasOurs = true;
    const configuration = await configurationOf(context, space);
    const { settings } = configuration;
    // An unreadable pool may be that of the block.
    poolOfSubnet(configuration, block.poolId);
    const nowMs = context.now();
    const cooldownMs = cooldownMsOfSubnet(configuration, block.poolId);
    const usage = { inUse: takenIn(block), cooling: coolingIn(block, nowMs, cooldownMs) };
    const empty = isEmpty(block, { nowMs, cooldownMs });
    if (mustBeEmpty && !empty) return answer({ status: "not_empty", ...usage });
    if (empty && nowMs - block.claimedAtMs >= 1000 * settings.blockMinAgeSeconds) {
      if (await deleteEmptyBlock(context, block)) return answer({ status: "deleted" });
    } else if (await disown(context, block)) return answer({ status: "disowned", ...usage });
    return RETRY;
  });
}

/**
 * Deletes affinities to a block that does not belong to the host. They are left from operations that were interrupted
 * before their last step.
 */
async function deleteAffinities(
  context: Context,
  affinities: readonly BlockAffinity[],
  cidr: Cidr,
): Promise<void> {
  // The author of a claim may be about to write its block. Deleting that affinity would let the host exceed its maximum
  // number of blocks.
  const isBeingClaimed = ({ state, atMs }: BlockAffinity) =>
    state === "pending" && context.now() - atMs <= REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX;
  for (const affinity of affinities)
    if (sameCidr(affinity.block, cidr) && !isBeingClaimed(affinity))
      await context.store.deleteAffinity("affinity-drop", affinity);
}
