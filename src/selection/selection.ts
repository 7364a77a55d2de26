import { POOLS_TOLD_MAX, REASONS_IN_DETAIL_MAX } from "../base/limits.ts";
import { Rejection } from "../base/outcome.ts";
import { type HostReserved, prefixMaxBeside } from "../kernel/values/host.ts";
import type { Family } from "../net/address.ts";
import { formatCidr } from "../net/cidr.ts";
import { type Labels, NO_LABELS } from "../net/labels.ts";
import type { Selector } from "../net/selector.ts";
import { matches } from "../net/selector-match.ts";
import { nameOfApplication } from "../nouns/application/application.ts";
import {
  assignsPrefixes,
  isRanged,
  narrows,
  type Pool,
  type PoolSelector,
  type Use,
} from "../nouns/pool/pool.ts";
import {
  type Acquirable,
  type AcquireCriteria,
  type Acquired,
  acquirePools,
  type Rule,
} from "./acquire-pools.ts";
import type { Requester } from "./requester.ts";
import type { Unfit } from "./unfit.ts";

/** Labels that a rejection shows, among those that the pool's selector asks for. */
const LABELS_SHOWN_MAX = 8;
/** Names of a pool's condition that a rejection shows. */
const NAMES_SHOWN_MAX = 8;

/** The properties of a request that select pools, for one family. */
export type PoolCriteria = AcquireCriteria & FilterCriteria;

/** A pool that was considered for a family, as a rejection and a dry run show it. */
export interface PoolCandidate extends Partial<Unfit> {
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
  readonly pools: readonly PoolCandidate[];
}

/** Puts the candidates that may serve first, and numbers them. They must be in the order in which Plat tries them. */
export function numbered(candidates: readonly PoolCandidate[]): readonly PoolCandidate[] {
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
export const leftOut = (pools: readonly Pool[], criteria: PoolCriteria): readonly PoolCandidate[] =>
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
): PoolCandidate {
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

/** The properties of a request by which pools are filtered. */
interface FilterCriteria {
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
const isJudged = (rule: Rule, pool: Pool): boolean =>
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

/** The score of each condition: as one bit, so that a condition beats all those after it together (Spiderpool). */
const SCORES = {
  podSelector: 32,
  nodeNames: 16,
  nodeSelector: 8,
  namespaceNames: 4,
  namespaceSelector: 2,
  networks: 1,
} as const;

/** A pool that can serve, and its score. */
interface Scored {
  readonly score: number;
}

/**
 * Returns the sum over the conditions that a pool was judged by (Spiderpool's `ByPoolPriority`). `all()` is no condition.
 * A node or namespace selector scores in ranged pools only, so that Automatic pools keep the order that Calico gives them.
 */
export function scoreOf(pool: Pool): number {
  const { podSelector, nodeNames, nodeSelector, namespaceNames, namespaceSelector } = pool;
  const { networks } = pool;
  const byLabels = isRanged(pool);
  return (
    (narrows(podSelector) ? SCORES.podSelector : 0) +
    (nodeNames ? SCORES.nodeNames : 0) +
    (byLabels && !nodeNames && narrows(nodeSelector) ? SCORES.nodeSelector : 0) +
    (namespaceNames ? SCORES.namespaceNames : 0) +
    (byLabels && !namespaceNames && narrows(namespaceSelector) ? SCORES.namespaceSelector : 0) +
    (networks ? SCORES.networks : 0)
  );
}

/**
 * Returns pools in the order in which Plat tries them: the highest score first, and those of one score in the order in
 * which they came. That is the order of the request's list, else the order of names.
 */
export const sorted = <One extends Scored>(pools: readonly One[]): readonly One[] =>
  pools.toSorted((a, b) => b.score - a.score);

/** Returns why a pool does not serve the caller, or nothing if it does. A pool without principals serves every caller. */
export function excludesCaller(
  { principals }: Pick<Pool, "principals">,
  { principal }: Pick<Requester, "principal">,
): Unfit | undefined {
  if (!principals || (principal !== undefined && principals.includes(principal))) return undefined;
  const told = principals.slice(0, NAMES_SHOWN_MAX).join(", ");
  const more = principals.length - NAMES_SHOWN_MAX;
  const whom = principal === undefined ? "a request without a principal" : principal;
  return {
    code: "principal",
    reason: `does not serve ${whom} (principals ${told}${more > 0 ? ` and ${more} more` : ""})`,
  };
}

/** Returns the rejection of a caller that names a pool, or an address or a prefix of it, and is none of its principals. */
export const poolForbidden = (
  { space, name, principals }: Pool,
  { reason }: Unfit,
  members: Rejection["members"],
): Rejection =>
  new Rejection(
    "pool_forbidden",
    `Pool ${name} ${reason}. A caller with the role operator in space ${space} may change its principals.`,
    { ...members, limit: { pool: name, principals }, changedBy: { role: "operator", space } },
  );

/** Returns the condition of a pool that excludes a requester or its network, or nothing if all hold. */
export const excludedBy = (
  pool: Pool,
  requester: Requester,
  network: string | undefined,
): Unfit | undefined =>
  byHost(pool, requester) ??
  byNamespace(pool, requester) ??
  byWorkload(pool, requester) ??
  byNetwork(pool, network);

/**
 * Returns true if the pool serves a host of this name with these labels. A host without labels is evaluated like any
 * other.
 */
export const selectsHost = (
  { nodeNames, nodeSelector }: Pool,
  name: string | undefined,
  labels: Labels | undefined,
): boolean => (nodeNames ? isAmong(nodeNames, name) : isSelected(nodeSelector, labels));

function byHost(pool: Pool, { hostName, host }: Requester): Unfit | undefined {
  if (selectsHost(pool, hostName, host)) return undefined;
  const { nodeNames, nodeSelector } = pool;
  return nodeNames
    ? notListed("node", "host", hostName, { nodeNames })
    : notSelected("node", "host", host, { nodeSelector });
}

/** A missing namespace has no labels, as in Calico. */
function byNamespace(
  { namespaceNames, namespaceSelector }: Pool,
  { namespaceName, namespace }: Requester,
): Unfit | undefined {
  if (namespaceNames)
    return isAmong(namespaceNames, namespaceName)
      ? undefined
      : notListed("namespace", "namespace", namespaceName, { namespaceNames });
  return isSelected(namespaceSelector, namespace)
    ? undefined
    : notSelected("namespace", "namespace", namespace, { namespaceSelector });
}

function byWorkload({ podSelector }: Pool, { workload }: Requester): Unfit | undefined {
  return isSelected(podSelector, workload)
    ? undefined
    : notSelected("pod", "workload", workload, { podSelector });
}

/** A pool without networks passes whatever the network is, and also if it is unknown. */
function byNetwork({ networks }: Pool, network: string | undefined): Unfit | undefined {
  return !networks || isAmong(networks, network)
    ? undefined
    : notListed("network", "network", network, { networks });
}

const isAmong = (names: readonly string[], name: string | undefined): boolean =>
  name !== undefined && names.includes(name);

const isSelected = (by: PoolSelector | undefined, labels: Labels = NO_LABELS): boolean =>
  !narrows(by) || matches(by.selector, labels);

/** The facts about a request that a condition judges. */
type Whom = "host" | "namespace" | "workload" | "network";

/** @param by the list under the name of its field */
function notListed(
  code: Unfit["code"],
  whom: Whom,
  name: string | undefined,
  by: Readonly<Record<string, readonly string[]>>,
): Unfit {
  const [[field, names] = ["", []]] = Object.entries(by);
  const told = names.slice(0, NAMES_SHOWN_MAX).join(", ");
  const more = names.length - NAMES_SHOWN_MAX;
  const nameless = whom === "host" ? "a virtual owner" : `a request without a ${whom}`;
  const asked = name === undefined ? nameless : `${whom} ${cut(name)}`;
  const reason = `does not serve ${asked} (${field} ${told}${more > 0 ? ` and ${more} more` : ""})`;
  return { code, reason };
}

/** @param by the selector under the name of its field */
function notSelected(
  code: Unfit["code"],
  whom: Exclude<Whom, "network">,
  labels: Labels | undefined,
  by: Readonly<Record<string, PoolSelector | undefined>>,
): Unfit {
  const [[field, selector] = ["", undefined]] = Object.entries(by);
  const judged = `${field} ${cut(selector?.text ?? "")}; ${shown(selector, labels, whom)}`;
  return { code, reason: `does not select the ${whom} (${judged})` };
}

/** The reason why there are no labels to match. */
const UNLABELLED = {
  host: "the host is not registered, so it has no labels",
  namespace: "the request names no namespace that is registered, so there are no labels",
  workload: "the request has no labels",
} as const;

/** Returns the labels that a selector asks for, as they are. */
function shown(
  by: PoolSelector | undefined,
  labels: Labels | undefined,
  whom: keyof typeof UNLABELLED,
): string {
  if (!labels) return UNLABELLED[whom];
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
