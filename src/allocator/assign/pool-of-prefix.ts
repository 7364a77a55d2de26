import { isBlockOf } from "../../domain/block-group.ts";
import { type Cidr, formatCidr, intervalOf, overlaps } from "../../domain/cidr.ts";
import { Rejection } from "../../domain/outcome.ts";
import {
  assignsPrefixes,
  noneUnread,
  type Pool,
  type SpaceConfiguration,
} from "../../domain/pool.ts";
import { excludesCaller, poolForbidden } from "../../domain/pool-principals.ts";
import { namedPrincipal } from "../../domain/principal.ts";
import { candidateOf } from "../../domain/selection.ts";

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
  const { pools } = configuration;
  const ofPrefixes = pools.filter((pool) => assignsPrefixes(pool) && pool.state === "active");
  const pool = ofPrefixes.find((each) => isBlockOf(each, cidr));
  const principal = assignedBy === undefined ? undefined : namedPrincipal(assignedBy);
  const unfit = pool && principal !== undefined && excludesCaller(pool, { principal });
  if (pool && unfit) {
    const pools = [candidateOf(cidr.family, { name: pool.name, pool, unfit })];
    return poolForbidden(pool, unfit, { cidr: formatCidr(cidr), pools });
  }
  if (pool) return [pool];
  noneUnread(configuration);
  const text = formatCidr(cidr);
  const near = ofPrefixes.find((each) => overlaps(intervalOf(each.cidr), intervalOf(cidr)));
  const why = near
    ? `pool ${near.name} (${formatCidr(near.cidr)}) has prefixes of /${near.blockSize}`
    : `no pool of prefixes has it in space ${space}`;
  return new Rejection("no_pool_available", `${text} is no prefix of a pool: ${why}.`, {
    cidr: text,
    pools: [],
  });
}
