import type { Family } from "../net/address.ts";
import { formatCidr } from "../net/cidr.ts";
import type { DefaultPools } from "../nouns/namespace/namespace.ts";
import {
  type InterfaceAsked,
  interfaceOfApplication,
  poolsOfTarget,
} from "../nouns/pool/application-pools.ts";
import { isPattern, matchesPattern, parsePattern } from "../nouns/pool/pattern.ts";
import type { Pool } from "../nouns/pool/pool.ts";
import type { Requester } from "./requester.ts";

/**
 * The rules that give a request its candidates, in order. `application`: the addresses of the workload's application. `pools`: those that the request names. `namespace`: the default pools of its namespace.
 * `network`: the default pools that the request brings from its network. `automatic`: all others.
 */
export const RULES = ["application", "pools", "namespace", "network", "automatic"] as const;
export type Rule = (typeof RULES)[number];

/** The pools and the network that one interface of a workload asks for. Its lists have names, CIDRs and patterns. */
export interface PoolsAsked {
  /** Pools of both families in one list. A family is served by those of its own. */
  readonly pools: readonly string[];
  /** A list for each family, in place of the one list. A family without a list goes on to the next rule. */
  readonly poolsByFamily?: Readonly<Partial<Record<Family, readonly string[]>>>;
  /** The pools of a request that names none, and whose namespace has none. */
  readonly defaultPools?: DefaultPools;
  /** True if only the addresses of the workload's application may serve, because its annotations name subnets, in the lists. */
  readonly applicationOnly?: true;
  /** The network that the interface attaches to, for pools with `networks`. */
  readonly network?: string;
}

/** The properties of a request by which it gets its candidates, for one family. */
export interface AcquireCriteria extends PoolsAsked, InterfaceAsked {
  readonly family: Family;
  /** True if the request asks for both families. */
  readonly isDual: boolean;
  readonly requester: Pick<Requester, "namespacePools" | "application">;
}

/** The pools that a rule gives, before any filter. */
export interface Acquired {
  readonly rule: Rule;
  /** In the order in which the request means them, else by name. */
  readonly candidates: readonly Acquirable[];
}

/** A pool, or the text of a list if there is no such pool. */
export interface Acquirable {
  readonly name: string;
  readonly pool: Pool | undefined;
}

/**
 * Returns the candidates of one family by the first rule that applies. No later rule helps if the pools of that rule
 * cannot serve, as in Spiderpool (docs/concepts/ipam-des.md, "IP Allocation"). A pool counts once, where a list first
 * means it.
 */
export function acquirePools(pools: readonly Pool[], criteria: AcquireCriteria): Acquired {
  const { family, isDual } = criteria;
  const given = poolsOfApplication(pools, criteria);
  if (given) return { rule: "application", candidates: given };
  const { rule, texts, isOfFamily } = ruleFor(criteria);
  const known = pools
    .filter(({ state }) => state !== "pending")
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (!texts) return { rule, candidates: known.map(acquirable) };
  const meant = meantBy(texts, known, family);
  if (!isDual || isOfFamily) return { rule, candidates: meant };
  // One list for both families: the pools of the other family are no candidates of this one.
  const own = meant.filter(({ pool }) => !pool || pool.cidr.family === family);
  return { rule, candidates: own.length > 0 ? own : meant };
}

/** Returns the pools of the addresses that the workload's application has for an interface; nothing if it has none. */
function poolsOfApplication(
  pools: readonly Pool[],
  criteria: AcquireCriteria,
): readonly Acquirable[] | undefined {
  const { requester, family } = criteria;
  const of = interfaceOfApplication(requester.application, criteria);
  if (!requester.application || of === undefined) return undefined;
  return poolsOfTarget(requester.application, { interface: of, family }).flatMap((poolId) => {
    const pool = pools.find(({ id }) => id === poolId);
    return pool ? [acquirable(pool)] : [];
  });
}

/** Returns the list with which a request names the pools of a family, if it does. */
export function poolsNamed(
  { pools, poolsByFamily, applicationOnly }: PoolsAsked,
  family: Family,
): readonly string[] | undefined {
  if (applicationOnly) return [];
  return poolsByFamily ? poolsByFamily[family] : pools.length > 0 ? pools : undefined;
}

/** Returns true if a list means the pool, by its name, its CIDR or a pattern. */
export const isMeant = (
  { name, cidr }: Pick<Pool, "name" | "cidr">,
  texts: readonly string[],
): boolean => texts.some((text) => meansName(text, name) || text === formatCidr(cidr));

/** Returns true if a text is the name of a pool or a pattern that matches it. */
export const meansName = (text: string, name: string): boolean =>
  isPattern(text) ? matches(text)({ name }) : text === name;

/**
 * Returns the first rule that applies to a family, and its list; no list for Automatic pools, and for an application's addresses. Default
 * pools with a list for each family apply to both families, as in Spiderpool: one whose list is empty gets no pool.
 */
export function ruleFor(criteria: AcquireCriteria): { readonly rule: Rule } & Partial<RuleList> {
  const { family, requester, defaultPools, poolsByFamily } = criteria;
  const { namespacePools, application } = requester;
  if (interfaceOfApplication(application, criteria) !== undefined) return { rule: "application" };
  const named = poolsNamed(criteria, family);
  const isOfFamily = poolsByFamily !== undefined;
  const rule = criteria.applicationOnly ? "application" : "pools";
  if (named) return { rule, texts: named, isOfFamily };
  const ofNamespace = listFor(namespacePools, family);
  if (ofNamespace) return { rule: "namespace", ...ofNamespace };
  const ofNetwork = listFor(defaultPools, family);
  return ofNetwork ? { rule: "network", ...ofNetwork } : { rule: "automatic" };
}

/** The list of a rule for a family. */
interface RuleList {
  readonly texts: readonly string[];
  /** True if it is for this family alone. */
  readonly isOfFamily: boolean;
}

function listFor(pools: DefaultPools = [], family: Family): RuleList | undefined {
  if (!("length" in pools)) return { texts: pools[family], isOfFamily: true };
  return pools.length > 0 ? { texts: pools, isOfFamily: false } : undefined;
}

const acquirable = (pool: Pool): Acquirable => ({ name: pool.name, pool });

/** Returns the pools that a list means, each once, and the texts that mean none. */
function meantBy(
  texts: readonly string[],
  known: readonly Pool[],
  family: Family,
): readonly Acquirable[] {
  const byName = new Map(known.map((pool) => [pool.name, pool]));
  const meaning = (text: string): readonly Acquirable[] => {
    // A pattern cannot be unknown. It concerns the pools of one family, as in Spiderpool.
    if (isPattern(text))
      return known
        .filter(({ cidr }) => cidr.family === family)
        .filter(matches(text))
        .map(acquirable);
    if (!text.includes("/")) return [{ name: text, pool: byName.get(text) }];
    const found = ofCidr(text, known);
    return found.length > 0 ? found.map(acquirable) : [{ name: text, pool: undefined }];
  };
  const meant = texts.flatMap(meaning).map((each) => [each.name, each] as const);
  // A map keeps the place of the first of two entries.
  return [...new Map(meant).values()];
}

/** Returns the pools of a CIDR: those that have it now, or else one whose range is about to be free. */
function ofCidr(text: string, known: readonly Pool[]): readonly Pool[] {
  const found = known.filter(({ cidr }) => formatCidr(cidr) === text);
  const active = found.filter(({ state }) => state === "active");
  return active.length > 0 ? active : found;
}

/** Returns a test for names. A malformed pattern, which no request can have, matches none. */
function matches(text: string): (pool: Pick<Pool, "name">) => boolean {
  const pattern = parsePattern(text);
  return ({ name }) => pattern.ok && matchesPattern(pattern.value, name);
}
