import { isBlockOf } from "../../domain/block-group.ts";
import { type Cidr, formatCidr, intervalOf, overlaps } from "../../domain/cidr.ts";
import { Rejection } from "../../domain/outcome.ts";
import { assignsPrefixes, type Pool, type SpaceConfiguration } from "../../domain/pool.ts";

/**
 * Returns the pool of which a CIDR is a prefix, as a list of one. A node that has a prefix has it whatever its pool asks of nodes, and
 * also if the pool is disabled.
 */
export function poolOfPrefix(
  { pools }: Pick<SpaceConfiguration, "pools">,
  space: string,
  cidr: Cidr,
): readonly Pool[] | Rejection {
  const ofPrefixes = pools.filter((pool) => assignsPrefixes(pool) && pool.state === "active");
  const pool = ofPrefixes.find((each) => isBlockOf(each, cidr));
  if (pool) return [pool];
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
