import {
  type Acquirable,
  type AcquireCriteria,
  type Acquired,
  acquirePools,
  type Rule,
} from "./acquire-pools.ts";
import type { Family } from "./address.ts";
import { nameOfApplication } from "./application.ts";
import { formatCidr } from "./cidr.ts";
import { type FilterCriteria, isJudged, whyNot } from "./filter-pools.ts";
import { POOLS_TOLD_MAX, REASONS_IN_DETAIL_MAX } from "./limits.ts";
import { Rejection } from "./outcome.ts";
import type { Pool } from "./pool.ts";
import { poolForbidden } from "./pool-principals.ts";
import { scoreOf, sorted } from "./sort-pools.ts";
import type { Unfit } from "./unfit.ts";

/** The properties of a request that select pools, for one family. */
export type PoolCriteria = AcquireCriteria & FilterCriteria;

/** A pool that was considered for a family, as a rejection and a dry run show it. */
export interface Candidate extends Partial<Unfit> {
  readonly family: Family;
  /** Its name, or the text of the request if no pool has that name. */
  readonly pool: string;
  readonly cidr?: string;
  readonly kept: boolean;
  /** Its place among the pools that may serve, from 1. Plat tries the next one if this one has no room. */
  readonly order?: number;
  /** The sum of the scores of its conditions, if it may serve. */
  readonly score?: number;
}

/** The pools that were considered for a family, by a rule. */
export interface Considered {
  readonly rule: Rule;
  /** Those that may serve in the order in which Plat tries them, and then the others. */
  readonly pools: readonly Candidate[];
}

/** Puts the candidates that may serve first, and numbers them. They must be in the order in which Plat tries them. */
export function numbered(candidates: readonly Candidate[]): readonly Candidate[] {
  const kept = candidates.filter((each) => each.kept);
  const dropped = candidates.filter((each) => !each.kept);
  return [...kept.map((each, index) => ({ ...each, order: index + 1 })), ...dropped];
}

interface Judged extends Acquirable {
  readonly unfit: Unfit | undefined;
  readonly score: number;
}

/**
 * Returns the pools that may serve a request, in the order in which Plat tries them: acquires candidates by a rule,
 * filters them, and sorts the others. A text that means no pool rejects the request, whatever the others are.
 */
export function selectPools(
  pools: readonly Pool[],
  criteria: PoolCriteria,
): readonly Pool[] | Rejection {
  const { rule, judged } = judge(pools, criteria);
  const unknown = judged.filter(({ pool }) => !pool);
  const kept = judged.flatMap(({ pool, unfit }) => (pool && !unfit ? [pool] : []));
  if (unknown.length === 0 && kept.length > 0) return kept;
  const members = {
    rule,
    pools: judged.slice(0, POOLS_TOLD_MAX).map((each) => candidateOf(criteria.family, each)),
  };
  if (unknown.length > 0) {
    const names = unknown.slice(0, REASONS_IN_DETAIL_MAX).map(({ name }) => `"${name}"`);
    const detail = `There is no pool ${names.join(", ")}${NAMED_BY[rule]}.`;
    return new Rejection("no_pool_available", detail, members);
  }
  if (judged.length === 0)
    return new Rejection("no_pool_available", whyNone(rule, criteria), members);
  const forbidden = judged.find(({ unfit }) => unfit?.code === "principal");
  if (rule === "pools" && forbidden?.pool && forbidden.unfit)
    return poolForbidden(forbidden.pool, forbidden.unfit, members);
  const told = judged.slice(0, REASONS_IN_DETAIL_MAX);
  const more = judged.length - told.length;
  const reasons = [
    ...told.map(({ name, unfit }) => `${name} ${unfit?.reason}`),
    ...(more > 0 ? [`and ${more} more cannot either`] : []),
  ];
  const detail = `No pool can serve this request: ${reasons.join("; ")}.`;
  return new Rejection("no_pool_available", detail, members);
}

/** The field or the registry that names an unknown pool, unless the request names it itself. */
const NAMED_BY: Readonly<Record<Rule, string>> = {
  application: "",
  pools: "",
  namespace: ", which the defaultPools of the namespace name",
  network: ", which the defaultPools of the request name",
  automatic: "",
};

/** Returns why a rule gives no candidate at all. */
function whyNone(rule: Rule, { applicationOnly, requester, family }: PoolCriteria): string {
  if (rule !== "application") return NONE[rule];
  if (!requester.application?.addresses)
    return "The annotations name subnets, and the workload belongs to no application with addresses.";
  const name = nameOfApplication(requester.application);
  return applicationOnly
    ? `The annotations name subnets, and application ${name} has no IPv${family} addresses for this interface.`
    : `Application ${name} has no IPv${family} addresses for this interface, and its instances get no others.`;
}

const NONE: Readonly<Record<Exclude<Rule, "application">, string>> = {
  pools: "The request names no pool of the family.",
  namespace: "No pool of the family matches the defaultPools of the namespace.",
  network: "No pool of the family matches the defaultPools of the request.",
  automatic: "The space has no pools.",
};

/**
 * Returns every pool as `selectPools` evaluates it: those that may serve, in the order in which Plat would try them, and
 * then the others, unknown names included. Pools that the rule leaves out follow by name.
 */
export function considered(pools: readonly Pool[], criteria: PoolCriteria): Considered {
  const { rule, judged } = judge(pools, criteria);
  const candidates = new Set(judged.map(({ pool }) => pool));
  const others = pools
    .filter((pool) => pool.state === "active" && !candidates.has(pool))
    .map((pool) => ({ name: pool.name, pool, unfit: NOT_NAMED, score: 0 }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    rule,
    pools: [...judged, ...others].map((each) => candidateOf(criteria.family, each)),
  };
}

/** Returns the pools of the family that the rule gives and that cannot serve. */
export const leftOut = (pools: readonly Pool[], criteria: PoolCriteria): readonly Candidate[] =>
  judge(pools, criteria)
    .judged.filter(({ unfit }) => unfit && unfit.code !== "family")
    .map((each) => candidateOf(criteria.family, each));

/** Evaluates the candidates of the rule that applies. */
function judge(
  pools: readonly Pool[],
  criteria: PoolCriteria,
): { readonly rule: Rule; readonly judged: readonly Judged[] } {
  const { rule, candidates }: Acquired = acquirePools(pools, criteria);
  const judged = candidates.map(
    ({ name, pool }): Judged => ({
      name,
      pool,
      unfit: pool ? whyNot(pool, rule, criteria) : NOT_FOUND,
      score: pool && isJudged(rule, pool) ? scoreOf(pool) : 0,
    }),
  );
  const kept = sorted(judged.filter(({ unfit }) => !unfit));
  return { rule, judged: [...kept, ...judged.filter(({ unfit }) => unfit)] };
}

export function candidateOf(
  family: Family,
  {
    name,
    pool,
    unfit,
    score = 0,
  }: Acquirable & { readonly unfit: Unfit | undefined; readonly score?: number },
): Candidate {
  return {
    family,
    pool: name,
    ...(pool && { cidr: formatCidr(pool.cidr) }),
    kept: unfit === undefined,
    ...(unfit ?? { score }),
  };
}

const NOT_FOUND: Unfit = { code: "not_found", reason: "does not exist" };
export const NOT_NAMED: Unfit = {
  code: "not_named",
  reason: "is not among the named pools",
};
