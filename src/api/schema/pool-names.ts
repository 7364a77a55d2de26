import * as v from "valibot";
import { POOLS_PER_REQUEST_MAX } from "../../base/limits.ts";
import type { DefaultPools } from "../../nouns/namespace/namespace.ts";
import type { PoolsAsked } from "../../selection/acquire-pools.ts";
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

interface PoolNames {
  readonly pools: readonly string[];
  readonly ipv4Pools: readonly string[];
  readonly ipv6Pools: readonly string[];
}

/** The pools of what names none, in the same form. */
export const defaultPoolNames = {
  defaultPools: poolReferences,
  ipv4DefaultPools: poolReferences,
  ipv6DefaultPools: poolReferences,
};

export interface DefaultPoolNames {
  readonly defaultPools: readonly string[];
  readonly ipv4DefaultPools: readonly string[];
  readonly ipv6DefaultPools: readonly string[];
}

/** Rejects two ways at once to name pools, because they could mean a union or an order. */
export const oneWayToNamePools = (names: PoolNames): readonly FieldProblem[] =>
  names.pools.length > 0 && isByFamily(names) ? oneWay("pools", "ipv4Pools and ipv6Pools") : [];

/** Rejects two ways at once to name default pools. */
export const oneWayToNameDefaults = (names: Partial<DefaultPoolNames>): readonly FieldProblem[] =>
  names.defaultPools?.length && areDefaultsByFamily(names)
    ? oneWay("defaultPools", "ipv4DefaultPools and ipv6DefaultPools")
    : [];

const oneWay = (field: string, others: string): readonly FieldProblem[] => [
  { field, problem: `excludes ${others}; send one list for both families, or theirs` },
];

export const isByFamily = ({ ipv4Pools, ipv6Pools }: PoolNames) =>
  ipv4Pools.length + ipv6Pools.length > 0;

const areDefaultsByFamily = ({
  ipv4DefaultPools = [],
  ipv6DefaultPools = [],
}: Partial<DefaultPoolNames>) => ipv4DefaultPools.length + ipv6DefaultPools.length > 0;

/** Returns the default pools of a request or a namespace in the allocator's form; nothing if there are none. */
export function defaultPoolsOf(names: Partial<DefaultPoolNames>): DefaultPools | undefined {
  const { defaultPools = [], ipv4DefaultPools = [], ipv6DefaultPools = [] } = names;
  if (areDefaultsByFamily(names)) return { 4: ipv4DefaultPools, 6: ipv6DefaultPools };
  return defaultPools.length > 0 ? defaultPools : undefined;
}

/** Returns the pools of a request in the allocator's form: one list for both families, or one for each that has one. */
export function poolsAsked(names: PoolNames): PoolsAsked {
  const { pools, ipv4Pools, ipv6Pools } = names;
  if (!isByFamily(names)) return { pools };
  const poolsByFamily = {
    ...(ipv4Pools.length > 0 && { 4: ipv4Pools }),
    ...(ipv6Pools.length > 0 && { 6: ipv6Pools }),
  };
  return { pools: [], poolsByFamily };
}
