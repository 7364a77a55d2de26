import type { Family } from "./address.ts";
import { formatCidr } from "./cidr.ts";
import { type HostReserved, prefixMaxBeside } from "./host-reserved.ts";
import { type Labels, NO_LABELS } from "./labels.ts";
import { LABELS_SHOWN_MAX, POOLS_TOLD_MAX } from "./limits.ts";
import { Refusal } from "./outcome.ts";
import { narrows, type Pool, type PoolSelector, type Use } from "./pool.ts";
import type { Selector } from "./selector.ts";
import { matches } from "./selector-match.ts";

/** Whom a request is for, as selectors see it; labels are absent where nobody registered the host or the namespace. */
export interface Requester {
  readonly host: Labels | undefined;
  readonly namespace: Labels | undefined;
}

/** What of a request chooses pools. */
export interface PoolWish {
  readonly family: Family;
  readonly use: Use;
  /** Names or CIDRs; empty: whatever serves everybody. */
  readonly pools: readonly string[];
  readonly requester: Requester;
  /** What the host keeps for itself in each block: there must be an address left beside. */
  readonly hostReserved?: HostReserved | undefined;
}

/**
 * The pools that may serve a request, in the order in which they are tried: as the caller named them, else by name.
 * Pools that are named serve whatever their assignment mode and their selectors say, but never when disabled or for another
 * use (Calico 1.4).
 */
export function selectPools(pools: readonly Pool[], wish: PoolWish): readonly Pool[] | Refusal {
  const known = pools
    .filter(({ state }) => state !== "pending")
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const asked: Pool[] = [];
  for (const wanted of wish.pools) {
    const named = known.filter(({ name, cidr }) => name === wanted || formatCidr(cidr) === wanted);
    // A pool that has the range of one which is all but gone goes before it.
    const pool = named.find(({ state }) => state === "active") ?? named[0];
    if (!pool)
      return new Refusal("no_pool_available", `There is no pool "${wanted}".`, { pools: [] });
    if (!asked.includes(pool)) asked.push(pool);
  }
  const candidates = wish.pools.length > 0 ? asked : known;
  const judged = candidates.map((pool) => ({ pool, reason: whyNot(pool, wish) }));
  const kept = judged.filter(({ reason }) => reason === undefined).map(({ pool }) => pool);
  if (kept.length > 0) return kept;
  if (judged.length === 0)
    return new Refusal("no_pool_available", "The space has no pools.", { pools: [] });
  const told = judged.slice(0, POOLS_TOLD_MAX);
  const more = judged.length - told.length;
  const reasons = [
    ...told.map(({ pool, reason }) => `${pool.name} ${reason}`),
    ...(more > 0 ? [`nor may ${more} more`] : []),
  ];
  return new Refusal(
    "no_pool_available",
    `No pool may serve this request: ${reasons.join("; ")}.`,
    { pools: told.map(({ pool, reason }) => ({ pool: pool.name, reason })) },
  );
}

/** A pool that was considered, and why it may not serve, if it may not. */
export interface Judged {
  readonly pool: Pool;
  readonly reason: string | undefined;
}

/** Every pool that is in service, by name, as `selectPools` judges it. */
export function judgePools(pools: readonly Pool[], wish: PoolWish): readonly Judged[] {
  return pools
    .filter(({ state }) => state === "active")
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((pool) => ({
      pool,
      reason: isNamed(pool, wish.pools) ? whyNot(pool, wish) : NOT_NAMED,
    }));
}

export const NOT_NAMED = "is not among the pools asked for";

/** Is the pool one of those that a request names, by name or CIDR? One that names none takes any. */
export function isNamed({ name, cidr }: Pool, named: readonly string[]): boolean {
  return named.length === 0 || named.some((one) => one === name || one === formatCidr(cidr));
}

/** Why a pool may not serve a request, or nothing if it may. */
export function whyNot(pool: Pool, wish: PoolWish): string | undefined {
  if (pool.cidr.family !== wish.family) return `is IPv${pool.cidr.family}`;
  if (pool.state === "deleting") return "is being deleted";
  if (pool.disabled) return "is disabled";
  if (!pool.allowedUses.includes(wish.use)) return `does not allow the use ${wish.use}`;
  const small = wish.hostReserved && tooSmall(pool, wish.hostReserved);
  if (small || wish.pools.length > 0) return small;
  if (pool.assignmentMode === "Manual")
    return "serves only requests that name it (assignmentMode Manual)";
  return notSelected(pool, wish.requester);
}

/** Whether or not the pool is named: Calico lets too small a block be chosen where it is not (1.12 f). */
function tooSmall({ cidr, blockSize }: Pool, hostReserved: HostReserved): string | undefined {
  const prefixMax = prefixMaxBeside(cidr.family, hostReserved);
  if (blockSize <= prefixMax) return undefined;
  const { start, end } = hostReserved;
  return `has blocks of /${blockSize}, too small for the ${start + end} addresses that the host reserves in each: that takes /${prefixMax} or larger`;
}

/** Does the pool select a host with these labels? One that has none is judged like any other. */
export function selectsHost({ nodeSelector }: Pool, labels: Labels | undefined): boolean {
  return isSelected(nodeSelector, labels);
}

/** A missing namespace is one without labels, as in Calico. */
function notSelected(
  { nodeSelector, namespaceSelector }: Pool,
  { host, namespace }: Requester,
): string | undefined {
  const isHost = isSelected(nodeSelector, host);
  if (isHost && isSelected(namespaceSelector, namespace)) return undefined;
  const [whom, name, by, labels] = isHost
    ? (["namespace", "namespaceSelector", namespaceSelector, namespace] as const)
    : (["host", "nodeSelector", nodeSelector, host] as const);
  return `does not select the ${whom} (${name} ${cut(by?.text ?? "")}; ${shown(by, labels, whom)})`;
}

const isSelected = (by: PoolSelector | undefined, labels: Labels = NO_LABELS): boolean =>
  !narrows(by) || matches(by.selector, labels);

/** What the selector asks for, as it was judged. */
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

/** The labels that a selector asks for, some of them more than once. */
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

/** A refusal has a reason for each pool, so each is short. */
const cut = (text: string): string =>
  text.length <= TEXT_CHARACTERS_MAX
    ? text
    : `${text.slice(0, TEXT_CHARACTERS_MAX).replace(/\p{Cs}$/u, "")}…`;
