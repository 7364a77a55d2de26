import { ContentionError, Rejection } from "../../base/outcome.ts";
import type { Address } from "../../net/address.ts";
import { formatCidr, ordinalOf } from "../../net/cidr.ts";
import { isRanged, type Pool } from "../../nouns/pool/pool.ts";
import { claimBlock, helpClaim } from "../blocks/claim-block.ts";
import { readOrMakeBlock } from "../blocks/shared-block.ts";
import { answer, RETRY, untilAnswered } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { ClaimCharge, withClaimCharge } from "../quotas/claim-charge.ts";
import { type Block, mayGo } from "../values/block.ts";
import { blockOf } from "../values/block-group.ts";
import { type HostId, hostName, isHostReserved } from "../values/host.ts";
import { CLAIM_TRIES_MAX, CLAIM_WAIT_MS_MAX } from "../values/limits.ts";
import type { FamilyRequest } from "./selection.ts";
import { hostReservedAt } from "./why-not-free.ts";

/** Reads the block of a specific address, or claims or makes it if there is none. @returns it; or why the host may not take from it */
export const blockOfAddress = (
  context: Context,
  familyRequest: FamilyRequest,
  pool: Pool,
  address: Address,
): Promise<Block | Rejection> =>
  isRanged(pool)
    ? sharedBlockFor(context, pool, address)
    : blockFor(context, familyRequest, pool, address);

/** Reads the block of a specific address of a ranged pool, or makes it if there is none. */
async function sharedBlockFor(context: Context, pool: Pool, address: Address): Promise<Block> {
  const cidr = blockOf(address, pool.blockSize);
  const block = await readOrMakeBlock(context, pool, cidr);
  if (block) return block;
  throw new ContentionError(
    `block ${formatCidr(cidr)} could not be made, or is left from an earlier pool and about to go`,
  );
}

/** Reads the block of a specific address, or claims it if there is none. */
async function blockFor(
  context: Context,
  { space, host, configuration, hostReserved, claiming }: FamilyRequest,
  pool: Pool,
  address: Address,
): Promise<Block | Rejection> {
  const { store, random } = context;
  const cidr = blockOf(address, pool.blockSize);
  const text = formatCidr(cidr);
  const exhausted = () =>
    new ContentionError(`block ${text} could not be claimed in ${CLAIM_TRIES_MAX} tries`);
  return untilAnswered<Block | Rejection>({ triesMax: CLAIM_TRIES_MAX, exhausted }, async () => {
    const there = await store.readBlock(space, cidr);
    if (there && there.poolId !== pool.id)
      throw new ContentionError(`block ${text} is left from an earlier pool, and about to go`);
    if (there?.host === host) return answer(there);
    const anew = { cidr, host, ...(hostReserved && { hostReserved }) };
    const isKeptAnew = isHostReserved(anew, ordinalOf(cidr, address));
    if (there) {
      const strict = configuration.settings.strictAffinity || pool.borrowing === "forbidden";
      const isAwaited = mayGo(there) && !isKeptAnew;
      return answer(strict ? notToBeBorrowed(there, host, { isAwaited }) : there);
    }
    // A new block would reserve the address for the host, so the request does not claim it.
    if (isKeptAnew) return answer(hostReservedAt(anew, address, { isAwaited: false }));
    const affinities = await store.listAffinities(space, host);
    const place = affinities.find((affinity) => formatCidr(affinity.block) === text);
    const claim = await withClaimCharge(new ClaimCharge(context, space, claiming), (charge) =>
      place
        ? helpClaim(context, [pool], place, charge)
        : claimBlock(context, { pool, host, affinities, hostReserved, charge }, cidr),
    );
    if (claim.kind === "refused") return answer(claim.rejection);
    if (claim.kind !== "ours") await context.sleep(random.fraction() * CLAIM_WAIT_MS_MAX);
    return RETRY;
  });
}

/** @param isAwaited true if the block may go with time, and the host can have the address then */
function notToBeBorrowed(
  { cidr, host: owner }: Block,
  host: HostId,
  { isAwaited }: { readonly isAwaited: boolean },
): Rejection {
  const whose = owner === undefined ? "nobody" : hostName(owner);
  return new Rejection(
    "strict_affinity",
    `The address lies in block ${formatCidr(cidr)}, which is affine to ${whose}, not to ${hostName(host)}, and borrowing is off.`,
    {
      block: formatCidr(cidr),
      ...(owner !== undefined && { owner: hostName(owner) }),
      ...(isAwaited && { retryable: true }),
    },
  );
}
