import { PAGE_MS_MAX } from "../../base/limits.ts";
import { CorruptItemError, Rejection } from "../../base/outcome.ts";
import { namedPrincipal } from "../../base/principal.ts";
import type { Address } from "../../net/address.ts";
import { addressAt, type Cidr, formatCidr, sameCidr } from "../../net/cidr.ts";
import { assignsPrefixes, hasHosts, type Pool } from "../../nouns/pool/pool.ts";
import { capOf } from "../../nouns/settings/settings.ts";
import {
  candidateOf,
  excludesCaller,
  poolForbidden,
  whyClosed,
} from "../../selection/selection.ts";
import { type Claimant, claimBlock, helpClaim, seizeBlock } from "../blocks/claim-block.ts";
import { correctAfterwards } from "../blocks/full-group-hint.ts";
import { asHint } from "../core/bounded-work.ts";
import { answer, RETRY, untilAnswered } from "../core/compare-and-swap.ts";
import { configurationOf, poolAt } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { whyNotAdmitted } from "../quotas/admit.ts";
import { ClaimCharge, type Claiming, withClaimCharge } from "../quotas/claim-charge.ts";
import { affinitiesFor } from "../values/affinity.ts";
import { blocksIn, groupIndexOf, groupOf } from "../values/block-group.ts";
import { type AffinityType, affinityTypeOf, type HostId, hostName } from "../values/host.ts";
import { CLAIM_TRIES_MAX, CLAIM_WAIT_MS_MAX } from "../values/limits.ts";

/** Blocks that one request may claim for a host: as many as a block group has. */
export const BLOCKS_PER_CLAIM_MAX = 64;

/** The result for one block of a range. */
export interface ClaimedBlock {
  readonly cidr: string;
  /**
   * `claimed`: the block belongs to the host, as of now or from before. `not_owned`: it belongs to another host, and
   * stays so. `block_limit`: the host has reached its maximum number of blocks. `quota_exceeded`: a quota allows no more blocks. `contended`: other writes were faster
   * each time, or a block of an earlier pool is still there and will be deleted. `unreadable`: the block, or an item
   * that decides about it, cannot be read, so nothing changes.
   */
  readonly status:
    | "claimed"
    | "not_owned"
    | "block_limit"
    | "quota_exceeded"
    | "contended"
    | "unreadable";
  /** The host of the block, if it is another host. */
  readonly host?: string;
  readonly affinityType?: AffinityType;
  /** The error of an unreadable item. */
  readonly unreadable?: CorruptItemError;
  /** The rejection of the quota. */
  readonly refused?: Rejection;
}

export interface ClaimedRange {
  readonly pool: string;
  /** In the order of addresses, as many as one request claims. */
  readonly blocks: readonly ClaimedBlock[];
  readonly complete: boolean;
  /** The position of the next request, after the last of these blocks; absent when none is left. */
  readonly next?: Address;
  /** The maximum number of blocks per host; `null` if there is none. */
  readonly maxBlocksPerHost: number | null;
}

/**
 * Claims for a host every block of a range that has no owner: free blocks, and blocks in use without a host, with the
 * addresses in them. Blocks of other hosts are reported, and are no error (Calico's ClaimAffinity). The range must
 * begin in a pool that serves, and must be at least one block. A repeat of the request returns the same result.
 *
 * @param position claims only blocks after this address
 */
export async function claimAffinities(
  context: Context,
  {
    space,
    host,
    cidr,
    position,
    assignedBy,
  }: {
    readonly space: string;
    readonly host: HostId;
    readonly cidr: Cidr;
    readonly position?: Address | undefined;
    /** The caller as API Gateway names it. */
    readonly assignedBy?: string;
  },
): Promise<ClaimedRange | Rejection> {
  const startedAtMs = context.now();
  const pool = await poolAt(context, space, addressAt(cidr, 0));
  if (!pool) return inNoPool(space, cidr);
  const rejection = checkRange(pool, cidr, assignedBy);
  if (rejection) return rejection;
  const configuration = await configurationOf(context, space);
  const hasQuotas = configuration.quotas.length > 0;
  const refused = hasQuotas && (await whyNotAdmitted(context, configuration, { assignedBy }));
  if (refused) return refused;
  const { settings } = configuration;
  const { maxBlocksPerHost } = settings;
  const claimant: RangeClaimant = {
    ...{ pool, host, blocksMax: capOf(settings) },
    claiming: { assignedBy, quotas: configuration.quotas },
  };
  const blocks: ClaimedBlock[] = [];
  const current: Cidr[] = [];
  let last: Cidr | undefined;
  let next: Address | undefined;
  // Sequentially, because each claim takes the lowest free place.
  for (const each of blocksIn(pool, cidr, position)) {
    const isSpent =
      blocks.length === BLOCKS_PER_CLAIM_MAX || context.now() - startedAtMs > PAGE_MS_MAX;
    if (last && isSpent) {
      next = addressAt(last, 0);
      break;
    }
    const claimed = await claimGiven(context, claimant, each);
    blocks.push(claimed);
    if (claimed.status === "claimed" || claimed.status === "not_owned") current.push(each);
    last = each;
  }
  // A block group is full if this request found every block of it claimed. The contents of other block groups are
  // unknown here.
  for (const index of new Set(current.map((each) => groupIndexOf(pool, groupOf(each)))))
    await asHint(() => correctAfterwards(context, pool, index, { current, isCalledFull: false }));
  return {
    pool: pool.name,
    blocks,
    complete: next === undefined,
    ...(next && { next }),
    maxBlocksPerHost,
  };
}

function inNoPool(space: string, cidr: Cidr): Rejection {
  const detail = `No pool of space ${space} contains the first address of ${formatCidr(cidr)}.`;
  return new Rejection("no_pool_available", detail, { pools: [] });
}

function checkRange(pool: Pool, cidr: Cidr, assignedBy: string | undefined): Rejection | undefined {
  const { name } = pool;
  const principal = assignedBy === undefined ? undefined : namedPrincipal(assignedBy);
  const unfit = whyClosed(pool) ?? excludesCaller(pool, { principal });
  if (unfit) {
    const detail = `${formatCidr(cidr)} begins in pool ${name}, which ${unfit.reason}.`;
    const pools = [candidateOf(cidr.family, { name, pool, unfit })];
    if (unfit.code === "principal") return poolForbidden(pool, unfit, { pools });
    return new Rejection("no_pool_available", detail, { pools });
  }
  if (!hasHosts(pool)) return withoutHosts(cidr, pool);
  return cidr.prefix > pool.blockSize ? tooSmall(cidr, pool) : undefined;
}

/** A host that claims blocks of a pool, and its limits. */
interface RangeClaimant {
  readonly pool: Pool;
  readonly host: HostId;
  readonly blocksMax: number;
  readonly claiming: Claiming;
}

async function claimGiven(
  context: Context,
  claimant: RangeClaimant,
  cidr: Cidr,
): Promise<ClaimedBlock> {
  const text = formatCidr(cidr);
  const { space } = claimant.pool;
  try {
    const { owner, ...claimed } = await withClaimCharge(
      new ClaimCharge(context, space, claimant.claiming),
      (charge) => claimOne(context, claimant, charge, cidr),
    );
    return {
      cidr: text,
      ...claimed,
      ...(owner && { host: hostName(owner), affinityType: affinityTypeOf(owner) }),
    };
  } catch (error) {
    // An unreadable block does not keep the others from their claims.
    if (error instanceof CorruptItemError)
      return { cidr: text, status: "unreadable", unreadable: error };
    throw error;
  }
}

interface Claimed {
  readonly status: ClaimedBlock["status"];
  readonly owner?: HostId;
  readonly refused?: Rejection;
}

async function claimOne(
  context: Context,
  { pool, host, blocksMax }: RangeClaimant,
  charge: ClaimCharge,
  cidr: Cidr,
): Promise<Claimed> {
  const { store, random } = context;
  const exhausted = () => ({ status: "contended" }) as const;
  return untilAnswered<Claimed>({ triesMax: CLAIM_TRIES_MAX, exhausted }, async (before) => {
    if (before > 0) await context.sleep(random.fraction() * CLAIM_WAIT_MS_MAX);
    const there = await store.readBlock(pool.space, cidr);
    if (there && there.poolId !== pool.id) return answer({ status: "contended" });
    if (there?.host === host) {
      context.cache.remember(there);
      return answer({ status: "claimed" });
    }
    if (there?.host !== undefined) return answer({ status: "not_owned", owner: there.host });
    const affinities = await store.listAffinities(pool.space, host);
    const begun = affinities.find(({ block }) => sameCidr(block, cidr));
    if (!begun && affinitiesFor([pool], affinities).length >= blocksMax)
      return answer({ status: "block_limit" });
    const refused = await charge.refusal();
    if (refused) return answer({ status: "quota_exceeded", refused });
    const claimant: Claimant = { pool, host, affinities, charge };
    if (there) await seizeBlock(context, claimant, there);
    else if (begun) await helpClaim(context, [pool], begun, charge);
    else await claimBlock(context, claimant, cidr);
    // Whatever the outcome, the next try reads the owner from the block.
    return RETRY;
  });
}

/** Returns the rejection of a range that is smaller than a block of its pool (Calico's invalid size). */
export function tooSmall(cidr: Cidr, { name, blockSize }: Pool): Rejection {
  const value = formatCidr(cidr);
  const problem = `is smaller than a block: pool ${name} has blocks of /${blockSize}`;
  return new Rejection("block_too_small", `cidr ${value} ${problem}.`, {
    blockSize,
    fields: [{ field: "cidr", value, problem }],
  });
}

/** Returns the rejection of a claim in a ranged pool or a pool of prefixes, whose blocks have no host. */
function withoutHosts(cidr: Cidr, { name, ...pool }: Pool): Rejection {
  const value = formatCidr(cidr);
  const why = assignsPrefixes(pool) ? "assigns prefixes" : "has ranges";
  const problem = `lies in pool ${name}, which ${why}, and the blocks of such a pool have no host`;
  return new Rejection("invalid_request", `cidr ${value} ${problem}.`, {
    fields: [{ field: "cidr", value, problem }],
  });
}
