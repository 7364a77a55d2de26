import type { Family } from "./address.ts";
import { formatCidr } from "./cidr.ts";
import { type HostReserved, prefixMaxBeside } from "./host-reserved.ts";
import { type Labels, NO_LABELS } from "./labels.ts";
import { LABELS_SHOWN_MAX, POOLS_TOLD_MAX, REASONS_IN_DETAIL_MAX } from "./limits.ts";
import { Rejection } from "./outcome.ts";
import { narrows, type Pool, type PoolSelector, type Use } from "./pool.ts";
import type { Selector } from "./selector.ts";
import { matches } from "./selector-match.ts";

/** The requester as selectors see it. Labels are absent if the host or the namespace is not registered. */
export interface Requester {
  readonly host: Labels | undefined;
  readonly namespace: Labels | undefined;
}

/** The properties of a request that select pools. */
export interface PoolCriteria {
  readonly family: Family;
  readonly use: Use;
  /** Names or CIDRs; empty for any pool that serves the requester. */
  readonly pools: readonly string[];
  readonly requester: Requester;
  /** The host-reserved addresses of each block, which must leave at least one address. */
  readonly hostReserved?: HostReserved | undefined;
}

/** Codes for the reasons why a pool cannot serve a request; most are the name of the pool's field. */
export const UNFIT = [
  "not_found",
  "not_named",
  "family",
  "deleting",
  "disabled",
  "use",
  "block_too_small",
  "manual",
  "nodeSelector",
  "namespaceSelector",
  "reserved",
] as const;

/** The reason why a pool cannot serve a request. */
export interface Unfit {
  readonly reason: (typeof UNFIT)[number];
  /** For a person; it reads on from the pool's name. */
  readonly detail: string;
}

/** A pool that was considered for a family, as a rejection and a dry run show it. */
export interface Candidate extends Partial<Unfit> {
  readonly family: Family;
  /** Its name, or the text of the request if no pool has that name. */
  readonly pool: string;
  readonly cidr?: string;
  readonly kept: boolean;
  /** Its place among the pools that may serve, from 1. Plat tries the next one if this one has no free block. */
  readonly order?: number;
}

/** Numbers the candidates that may serve. They must be in the order in which Plat tries them. */
export function numbered(candidates: readonly Candidate[]): readonly Candidate[] {
  let order = 0;
  return candidates.map((each) => (each.kept ? { ...each, order: ++order } : each));
}

interface Judged {
  readonly name: string;
  /** Absent if no pool has that name. */
  readonly pool?: Pool | undefined;
  readonly unfit: Unfit | undefined;
}

/**
 * Returns the pools that may serve a request, in the order in which Plat tries them: as the caller named them, else by
 * name.
 * A named pool serves whatever its assignment mode and selectors are, but never if it is disabled or for another use
 * (Calico 1.4).
 */
export function selectPools(
  pools: readonly Pool[],
  criteria: PoolCriteria,
): readonly Pool[] | Rejection {
  const judged = judge(pools, criteria);
  const unknown = judged.filter(({ pool }) => !pool);
  const kept = judged.flatMap(({ pool, unfit }) => (pool && !unfit ? [pool] : []));
  if (unknown.length === 0 && kept.length > 0) return kept;
  const members = {
    pools: judged.slice(0, POOLS_TOLD_MAX).map((each) => candidateOf(criteria.family, each)),
  };
  if (unknown.length > 0) {
    const names = unknown.slice(0, REASONS_IN_DETAIL_MAX).map(({ name }) => `"${name}"`);
    return new Rejection("no_pool_available", `There is no pool ${names.join(", ")}.`, members);
  }
  if (judged.length === 0)
    return new Rejection("no_pool_available", "The space has no pools.", members);
  const told = judged.slice(0, REASONS_IN_DETAIL_MAX);
  const more = judged.length - told.length;
  const reasons = [
    ...told.map(({ name, unfit }) => `${name} ${unfit?.detail}`),
    ...(more > 0 ? [`and ${more} more cannot either`] : []),
  ];
  const detail = `No pool can serve this request: ${reasons.join("; ")}.`;
  return new Rejection("no_pool_available", detail, members);
}

/**
 * Returns every pool as `selectPools` evaluates it, in the order in which Plat would try them. Pools that the request
 * names come first, in its order and including unknown names. All others follow by name.
 */
export function considered(pools: readonly Pool[], criteria: PoolCriteria): readonly Candidate[] {
  const judged = judge(pools, criteria);
  const others = pools
    .filter(({ state }) => state === "active")
    .filter((pool) => judged.every((each) => each.pool !== pool))
    .map((pool) => ({ name: pool.name, pool, unfit: NOT_NAMED }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [...judged, ...others].map((each) => candidateOf(criteria.family, each));
}

/** Evaluates the pools that a request names, in its order, or all by name. */
function judge(pools: readonly Pool[], criteria: PoolCriteria): readonly Judged[] {
  const known = pools
    .filter(({ state }) => state !== "pending")
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const judged = (pool: Pool) => ({ name: pool.name, pool, unfit: whyNot(pool, criteria) });
  if (criteria.pools.length === 0) return known.map(judged);
  // Sorts an active pool after the pool whose range it took over, because a map keeps the last of two.
  const isActive = ({ state }: Pool) => state === "active";
  const current = [...known.filter((pool) => !isActive(pool)), ...known.filter(isActive)];
  const named = new Map(
    current.flatMap((pool) => [[pool.name, pool] as const, [formatCidr(pool.cidr), pool] as const]),
  );
  const asked = criteria.pools.map((wanted) => named.get(wanted) ?? wanted);
  return [...new Set(asked)].map((pool) =>
    typeof pool === "string" ? { name: pool, unfit: NOT_FOUND } : judged(pool),
  );
}

export function candidateOf(family: Family, { name, pool, unfit }: Judged): Candidate {
  return {
    family,
    pool: name,
    ...(pool && { cidr: formatCidr(pool.cidr) }),
    kept: unfit === undefined,
    ...unfit,
  };
}

const NOT_FOUND: Unfit = { reason: "not_found", detail: "does not exist" };
export const NOT_NAMED: Unfit = {
  reason: "not_named",
  detail: "is not among the named pools",
};

/** Returns true if a request names the pool, by name or CIDR, or names no pool at all. */
export function isNamed({ name, cidr }: Pool, named: readonly string[]): boolean {
  return named.length === 0 || named.some((one) => one === name || one === formatCidr(cidr));
}

/** Returns the reason why a pool cannot serve a request, or nothing if it can. */
export function whyNot(pool: Pool, criteria: PoolCriteria): Unfit | undefined {
  const { family } = pool.cidr;
  if (family !== criteria.family) return { reason: "family", detail: `is IPv${family}` };
  const closed = whyClosed(pool);
  if (closed) return closed;
  if (!pool.allowedUses.includes(criteria.use))
    return { reason: "use", detail: `does not allow the use ${criteria.use}` };
  const small = criteria.hostReserved && tooSmall(pool, criteria.hostReserved);
  if (small || criteria.pools.length > 0) return small;
  if (pool.assignmentMode === "Manual")
    return {
      reason: "manual",
      detail: "serves only requests that name it (assignmentMode Manual)",
    };
  return notSelected(pool, criteria.requester);
}

/** Returns the reason why a pool serves no request, or nothing if it serves. */
export function whyClosed({ state, disabled }: Pool): Unfit | undefined {
  if (state === "deleting") return { reason: "deleting", detail: "is being deleted" };
  return disabled ? { reason: "disabled", detail: "is disabled" } : undefined;
}

/** Returns whether the blocks are too small, for named pools too: Calico checks only named ones (1.12 f). */
function tooSmall({ cidr, blockSize }: Pool, hostReserved: HostReserved): Unfit | undefined {
  const prefixMax = prefixMaxBeside(cidr.family, hostReserved);
  if (blockSize <= prefixMax) return undefined;
  const { start, end } = hostReserved;
  return {
    reason: "block_too_small",
    detail: `has blocks of /${blockSize}, too small for the ${start + end} addresses that the host reserves in each; they need /${prefixMax} or larger`,
  };
}

/** Returns true if the pool selects a host with these labels. A host without labels is evaluated like any other. */
export function selectsHost({ nodeSelector }: Pool, labels: Labels | undefined): boolean {
  return isSelected(nodeSelector, labels);
}

/** Returns the reason why a selector excludes the requester. A missing namespace has no labels, as in Calico. */
function notSelected(
  { nodeSelector, namespaceSelector }: Pool,
  { host, namespace }: Requester,
): Unfit | undefined {
  const isHost = isSelected(nodeSelector, host);
  if (isHost && isSelected(namespaceSelector, namespace)) return undefined;
  const [whom, reason, by, labels] = isHost
    ? (["namespace", "namespaceSelector", namespaceSelector, namespace] as const)
    : (["host", "nodeSelector", nodeSelector, host] as const);
  const judged = `${reason} ${cut(by?.text ?? "")}; ${shown(by, labels, whom)}`;
  return { reason, detail: `does not select the ${whom} (${judged})` };
}

const isSelected = (by: PoolSelector | undefined, labels: Labels = NO_LABELS): boolean =>
  !narrows(by) || matches(by.selector, labels);

/** Returns the evaluated text of a selector. */
function shown(
  by: PoolSelector | undefined,
  labels: Labels | undefined,
  whom: "host" | "namespace",
): string {
  if (!labels)
    return whom === "host"
      ? "the host is not registered, so it has no labels"
      : "the request names no namespace that is registered, so there are no labels";
  const asked = by ? [...new Set(labelsAsked(by.selector))] : [];
  if (asked.length === 0) return `it selects no ${whom}`;
  const told = asked
    .slice(0, LABELS_SHOWN_MAX)
    .map((key) => (Object.hasOwn(labels, key) ? `${cut(key)}=${labels[key]}` : `no ${cut(key)}`));
  const more = asked.length - told.length;
  return `the ${whom} has ${told.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Returns the labels that a selector asks for, with repetitions. */
function labelsAsked(selector: Selector): readonly string[] {
  switch (selector.kind) {
    case "!":
      return labelsAsked(selector.of);
    case "&&":
    case "||":
      return selector.of.flatMap(labelsAsked);
    case "all()":
    case "global()":
      return [];
    default:
      return [selector.label];
  }
}

const TEXT_CHARACTERS_MAX = 200;

/** Cuts a text, because a rejection has a reason for each pool. */
const cut = (text: string): string =>
  text.length <= TEXT_CHARACTERS_MAX
    ? text
    : `${text.slice(0, TEXT_CHARACTERS_MAX).replace(/\p{Cs}$/u, "")}…`;
