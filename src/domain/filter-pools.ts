import type { Rule } from "./acquire-pools.ts";
import type { Family } from "./address.ts";
import { type HostReserved, prefixMaxBeside } from "./host-reserved.ts";
import { assignsPrefixes, isRanged, type Pool, type Use } from "./pool.ts";
import { excludedBy } from "./pool-conditions.ts";
import { excludesCaller } from "./pool-principals.ts";
import type { Requester } from "./requester.ts";
import type { Unfit } from "./unfit.ts";

/** The properties of a request by which pools are filtered. */
export interface FilterCriteria {
  readonly family: Family;
  readonly use: Use;
  /** True if the request is for prefixes, which pools of addresses do not have. */
  readonly wantsPrefixes?: true;
  /** The only length of prefixes that the request accepts; absent: any. */
  readonly prefixLength?: number;
  readonly requester: Requester;
  readonly network?: string;
  /** The host-reserved addresses of each block, which must leave at least one address. */
  readonly hostReserved?: HostReserved | undefined;
}

/**
 * Returns the reason why a pool cannot serve a request, or nothing if it can. A pool without ranges that the
 * request names serves whatever its assignment mode and conditions are, but never if it is disabled or for another use
 * (Calico 1.4). Default pools are not named by the request, so their conditions hold.
 */
export function whyNot(pool: Pool, rule: Rule, criteria: FilterCriteria): Unfit | undefined {
  const { family } = pool.cidr;
  if (family !== criteria.family) return { code: "family", reason: `is IPv${family}` };
  // What a pool refuses from then on does not concern the addresses that it gave to an application before.
  if (rule === "application") return undefined;
  if (assignsPrefixes(pool) !== (criteria.wantsPrefixes ?? false))
    return criteria.wantsPrefixes ? OF_ADDRESSES : OF_PREFIXES;
  if (criteria.prefixLength !== undefined && criteria.prefixLength !== pool.blockSize)
    return { code: "length", reason: `has prefixes of /${pool.blockSize} (blockSize)` };
  // A limit of callers, not a condition: it counts for named pools too.
  const closed = whyClosed(pool) ?? excludesCaller(pool, criteria.requester);
  if (closed) return closed;
  if (!criteria.wantsPrefixes && !pool.allowedUses.includes(criteria.use))
    return { code: "use", reason: `does not allow the use ${criteria.use}` };
  if (pool.assignmentMode === "Applications")
    return { code: "mode", reason: "serves applications only (assignmentMode Applications)" };
  const small = !isRanged(pool) && criteria.hostReserved && tooSmall(pool, criteria.hostReserved);
  if (small || !isJudged(rule, pool)) return small || undefined;
  if (rule === "automatic" && pool.assignmentMode === "Manual")
    return { code: "mode", reason: "serves only requests that name it (assignmentMode Manual)" };
  return excludedBy(pool, criteria.requester, criteria.network);
}

const OF_PREFIXES: Unfit = {
  code: "prefixes",
  reason: "assigns prefixes, not addresses (assign prefixes)",
};

const OF_ADDRESSES: Unfit = {
  code: "prefixes",
  reason: "assigns addresses, not prefixes (assign addresses)",
};

/** Returns true if the conditions of a candidate count: those of a ranged pool always do, as in Spiderpool. */
export const isJudged = (rule: Rule, pool: Pool): boolean =>
  rule !== "application" && (rule !== "pools" || isRanged(pool));

/** Returns the reason why a pool serves no request, or nothing if it serves. */
export function whyClosed({ state, disabled }: Pool): Unfit | undefined {
  if (state === "deleting") return { code: "state", reason: "is being deleted" };
  return disabled ? { code: "disabled", reason: "is disabled" } : undefined;
}

/** Returns whether the blocks are too small, for named pools too: Calico checks only named ones (1.12 f). */
function tooSmall({ cidr, blockSize }: Pool, hostReserved: HostReserved): Unfit | undefined {
  const prefixMax = prefixMaxBeside(cidr.family, hostReserved);
  if (blockSize <= prefixMax) return undefined;
  const { start, end } = hostReserved;
  return {
    code: "block_too_small",
    reason: `has blocks of /${blockSize}, too small for the ${start + end} addresses that the host reserves in each; they need /${prefixMax} or larger`,
  };
}
