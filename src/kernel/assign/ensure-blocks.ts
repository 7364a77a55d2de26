import { POOLS_TOLD_MAX } from "../../base/limits.ts";
import { ContentionError, Rejection } from "../../base/outcome.ts";
import type { Family } from "../../net/address.ts";
import { formatCidr } from "../../net/cidr.ts";
import type { Labels } from "../../net/labels.ts";
import { isRanged, type Pool } from "../../nouns/pool/pool.ts";
import type { PoolsAsked } from "../../selection/acquire-pools.ts";
import { helpClaim } from "../blocks/claim-block.ts";
import { answer, RETRY, untilAnswered } from "../core/compare-and-swap.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { awaitAll } from "../core/parallel.ts";
import { whyNotAdmitted } from "../quotas/admit.ts";
import { ClaimCharge, withClaimCharge } from "../quotas/claim-charge.ts";
import { type BlockAffinity, sameBlocks } from "../values/affinity.ts";
import type { Block } from "../values/block.ts";
import { isBlockOf } from "../values/block-group.ts";
import { sumOfFreed } from "../values/freed-by-time.ts";
import { type HostId, type HostReservedAsked, hostName } from "../values/host.ts";
import { CLAIM_TRIES_MAX, CLAIM_WAIT_MS_MAX } from "../values/limits.ts";
import { familyRequestsOf } from "./family-requests.ts";
import { claimAnyBlock, type Nothing, poolScansOf } from "./find-blocks.ts";
import {
  areShut,
  namesOf,
  outOfSight,
  overQuota,
  reachOf,
  reasonOfTime,
  reasonsOf,
  timesOf,
  unseenIn,
} from "./rejections.ts";
import { requesterOf } from "./requester.ts";
import type { FamilyRequest } from "./selection.ts";

/** A block that a host has. */
export interface EnsuredBlock {
  readonly family: Family;
  readonly cidr: string;
  readonly pool: string;
}

/**
 * Ensures that a host has a block of each requested family, in the pools that would serve it. It takes no address (Calico's
 * EnsureBlock). It returns the first block that the host has, full or not, or claims one under the host's limit.
 *
 * @returns the blocks in the order of the families; or the rejection of one family, while a block claimed for the other stays
 */
export async function ensureBlocks(
  context: Context,
  {
    families,
    ...asked
  }: {
    readonly space: string;
    readonly host: HostId;
    readonly families: readonly Family[];
    /** The host-reserved addresses in a block that is claimed now; existing blocks do not change. */
    readonly hostReserved?: HostReservedAsked;
    readonly hostLabels?: Labels;
    /** The caller as API Gateway names it. */
    readonly assignedBy?: string;
  } & PoolsAsked,
): Promise<readonly EnsuredBlock[] | Rejection> {
  const configuration = await configurationOf(context, asked.space);
  const request = { ...asked, wanted: families.map((family) => ({ family, count: 0 })) };
  const hasQuotas = configuration.quotas.length > 0;
  const refused = hasQuotas && (await whyNotAdmitted(context, configuration, request));
  if (refused) return refused;
  const requester = await requesterOf(context, request, configuration);
  const wanted = familyRequestsOf(request, configuration, requester);
  if (wanted instanceof Rejection) return wanted;
  const ensured = await awaitAll(
    ...wanted.familyRequests.map((familyRequest) => ensureBlock(context, familyRequest)),
  );
  const blocks: EnsuredBlock[] = [];
  for (const block of ensured) {
    if (block instanceof Rejection) return block;
    blocks.push({ family: block.cidr.family, cidr: formatCidr(block.cidr), pool: block.pool });
  }
  return blocks;
}

async function ensureBlock(
  context: Context,
  { pools, ...request }: FamilyRequest,
): Promise<Block | Rejection> {
  const familyRequest = { ...request, pools: pools.filter((pool) => !isRanged(pool)) };
  if (familyRequest.pools.length === 0) return withoutHosts(request.family, pools);
  const { store, random } = context;
  const poolScans = poolScansOf(context);
  let affinities = await store.listAffinities(familyRequest.space, familyRequest.host);
  const exhausted = () => new ContentionError("other hosts claimed every block that was tried");
  return untilAnswered<Block | Rejection>({ triesMax: CLAIM_TRIES_MAX, exhausted }, async () => {
    const own = await firstOwn(context, familyRequest, affinities);
    if (own) return answer(own);
    const search = await claimAnyBlock(context, familyRequest, affinities, 0, poolScans);
    if (search.kind === "ours") return answer(search.block);
    const before = affinities;
    affinities = await store.listAffinities(familyRequest.space, familyRequest.host);
    // A rejection is true only if the host got no block during the search.
    if (search.kind === "none" && sameBlocks(before, affinities))
      return answer(rejectionOf(familyRequest, search, context.now()));
    await context.sleep(random.fraction() * CLAIM_WAIT_MS_MAX);
    return RETRY;
  });
}

/** Returns the rejection of a request that ranged pools alone could serve. */
const withoutHosts = (family: Family, pools: readonly Pool[]) =>
  new Rejection(
    "no_pool_available",
    `No pool can give a host an IPv${family} block: ${namesOf(pools)} have ranges, and the blocks of such pools have no host.`,
    { pools: [] },
  );

/** Returns the first of the host's blocks in the order of pools. It finishes a claim that a crash cut off. */
async function firstOwn(
  context: Context,
  { pools, space, claiming }: FamilyRequest,
  affinities: readonly BlockAffinity[],
): Promise<Block | undefined> {
  for (const pool of pools)
    for (const affinity of affinities) {
      if (affinity.pool !== pool.name || !isBlockOf(pool, affinity.block)) continue;
      const claim = await withClaimCharge(new ClaimCharge(context, space, claiming), (charge) =>
        helpClaim(context, pools, affinity, charge),
      );
      if (claim.kind !== "ours") continue;
      context.cache.remember(claim.block);
      return claim.block;
    }
  return undefined;
}

function rejectionOf(familyRequest: FamilyRequest, search: Nothing, nowMs: number): Rejection {
  const { host, family, pools, blocksMax, configuration } = familyRequest;
  const { scans, blocks, capped } = search;
  if (scans.some(({ bounded }) => bounded)) throw outOfSight();
  const where = namesOf(pools);
  if (search.refused && !areShut(familyRequest)) return overQuota(familyRequest, search.refused);
  if (capped && !areShut(familyRequest))
    return new Rejection(
      "block_limit",
      `Host ${hostName(host)} has ${blocks} of at most ${blocksMax} IPv${family} blocks in ${where}, and none of them can be used now.`,
      { blocks, maxBlocksPerHost: blocksMax },
    );
  // The host waits for a block, and for no address that cools.
  const freed = { ...sumOfFreed([...search.freed.values()]), cooling: 0 };
  const times = timesOf(freed, 1, nowMs);
  const why = reasonsOf(
    familyRequest,
    configuration.settings.autoAllocateBlocks
      ? ["none is free", ...unseenIn(search), ...reasonOfTime(times, 1)]
      : ["automatic claims are off (autoAllocateBlocks)"],
  );
  return new Rejection(
    "pool_exhausted",
    `There is no block for host ${hostName(host)} in ${where}: ${why.join("; ")}.`,
    {
      pools: pools
        .slice(0, POOLS_TOLD_MAX)
        .map(({ name, cidr }) => ({ pool: name, cidr: formatCidr(cidr) })),
      ...reachOf(search),
      ...times,
    },
  );
}
