import * as v from "valibot";
import { POOLS_PER_REQUEST_MAX } from "../../domain/limits.ts";
import { poolsMeant, unique } from "./field.ts";
import type { FieldProblem } from "./problem.ts";
import { list } from "./schema.ts";

/** The pools that a list means. */
export const poolList = v.pipe(
  list(
    poolsMeant,
    { max: POOLS_PER_REQUEST_MAX },
    {
      type: "must be an array of names, CIDRs or patterns of pools",
      max: `must name at most ${POOLS_PER_REQUEST_MAX} pools`,
    },
  ),
  unique<string>("must name each pool once"),
);

/** None means all serving pools. */
const poolReferences = v.optional(poolList, []);

/** One list for both families, or one for each, as Calico's client has them. */
export const poolNames = {
  pools: poolReferences,
  ipv4Pools: poolReferences,
  ipv6Pools: poolReferences,
};

export interface PoolNames {
  readonly pools: readonly string[];
  readonly ipv4Pools: readonly string[];
  readonly ipv6Pools: readonly string[];
}

/** Rejects two ways at once to name pools, because they could mean a union or an order. */
export const oneWayToNamePools = (names: PoolNames): readonly FieldProblem[] =>
  names.pools.length > 0 && isByFamily(names)
    ? [
        {
          field: "pools",
          problem: "excludes ipv4Pools and ipv6Pools; send one list for both families, or theirs",
        },
      ]
    : [];

export const isByFamily = ({ ipv4Pools, ipv6Pools }: PoolNames) =>
  ipv4Pools.length + ipv6Pools.length > 0;
