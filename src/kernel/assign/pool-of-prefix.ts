import { Rejection } from "../../base/outcome.ts";
import { namedPrincipal } from "../../base/principal.ts";
import { type Cidr, formatCidr, intervalOf, overlaps } from "../../net/cidr.ts";
import { noneUnread, type SpaceConfiguration } from "../../nouns/pool/configuration.ts";
import { assignsPrefixes, type Pool } from "../../nouns/pool/pool.ts";
import { isMeant, type PoolsAsked, poolsNamed } from "../../selection/acquire-pools.ts";
import type { Requester } from "../../selection/requester.ts";
import {
  candidateOf,
  excludesCaller,
  NOT_NAMED,
  poolForbidden,
  whyNot,
} from "../../selection/selection.ts";
import type { Unfit } from "../../selection/unfit.ts";
import { isBlockOf } from "../values/block-group.ts";

/**
 * Returns the pool of which a CIDR is a prefix, as a list of one. A node that has a prefix has it whatever its pool asks of nodes, and
 * also if the pool is disabled. But a caller cannot take one for a node from a pool that does not serve the caller. An event of a
 * cluster has no caller, and says what the node has.
 *
 * @throws {CorruptItemError} if the prefix may be one of a pool that cannot be read
 */
export function poolOfPrefix(
  configuration: SpaceConfiguration,
  space: string,
  cidr: Cidr,
  assignedBy: string | undefined,
): readonly Pool[] | Rejection {
  const pool = poolWithPrefix(configuration, cidr);
  const principal = assignedBy === undefined ? undefined : namedPrincipal(assignedBy);
  const unfit = pool && principal !== undefined && excludesCaller(pool, { principal });
  if (pool && unfit) {
    const pools = [candidateOf(cidr.family, { name: pool.name, pool, unfit })];
    return poolForbidden(pool, unfit, { cidr: formatCidr(cidr), pools });
  }
  if (pool) return [pool];
  noneUnread(configuration);
  const text = formatCidr(cidr);
  const near = servingPrefixes(configuration).find((each) =>
    overlaps(intervalOf(each.cidr), intervalOf(cidr)),
  );
  const why = near
    ? `pool ${near.name} (${formatCidr(near.cidr)}) has prefixes of /${near.blockSize}`
    : `no pool of prefixes has it in space ${space}`;
  return new Rejection("no_pool_available", `${text} is no prefix of a pool: ${why}.`, {
    cidr: text,
    pools: [],
  });
}

/** Returns the readable active pool of which a CIDR is a prefix. */
export const poolWithPrefix = (
  configuration: Pick<SpaceConfiguration, "pools">,
  cidr: Cidr,
): Pool | undefined => servingPrefixes(configuration).find((each) => isBlockOf(each, cidr));

const servingPrefixes = ({ pools }: Pick<SpaceConfiguration, "pools">): readonly Pool[] =>
  pools.filter((pool) => assignsPrefixes(pool) && pool.state === "active");

/**
 * Returns the pool of a specific prefix that a caller wants, as a list of one, if it can serve. Conditions do not count, as in any pool
 * that a request names.
 *
 * @throws {CorruptItemError} if the prefix may be one of a pool that cannot be read
 */
export function poolOfSpecificPrefix(
  configuration: SpaceConfiguration,
  cidr: Cidr,
  request: PoolsAsked & { readonly space: string },
  requester: Requester,
): readonly Pool[] | Rejection {
  const found = poolOfPrefix(configuration, request.space, cidr, undefined);
  const [pool] = found instanceof Rejection ? [] : found;
  if (!pool) return found;
  const unfit = whyNotSpecific(pool, request, requester);
  if (!unfit) return [pool];
  const { name } = pool;
  const text = formatCidr(cidr);
  const members = { cidr: text, pools: [candidateOf(cidr.family, { name, pool, unfit })] };
  if (unfit.code === "principal") return poolForbidden(pool, unfit, members);
  return new Rejection(
    "no_pool_available",
    `Prefix ${text} lies in pool ${name}, which ${unfit.reason}.`,
    members,
  );
}

/** Returns the reason why the pool of a specific prefix cannot serve, or nothing if it can. */
export function whyNotSpecific(
  pool: Pool,
  request: PoolsAsked,
  requester: Requester,
): Unfit | undefined {
  const { family } = pool.cidr;
  const named = poolsNamed(request, family);
  if (named && !isMeant(pool, named)) return NOT_NAMED;
  return whyNot(pool, "pools", { family, use: "Workload", wantsPrefixes: true, requester });
}
