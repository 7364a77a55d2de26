import { CONFIRM_SECONDS_DEFAULT, PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import { Rejection } from "../../../base/outcome.ts";
import { holdingsOf } from "../../../kernel/allocations/holding.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { isBlockOf } from "../../../kernel/values/block-group.ts";
import { type Cidr, parseNetwork, sameCidr } from "../../../net/cidr.ts";
import type { Labels } from "../../../net/labels.ts";
import type { NodePrefix } from "../../node/prefixes.ts";
import { assignsPrefixes, type Pool } from "../../pool/pool.ts";
import { ensurePrefixes, statingOf } from "./ensure-prefixes.ts";
import { allocationsOfNode } from "./list-prefixes.ts";
import { readStated, stateAfter } from "./state-ranges.ts";

/** A Node object as an event shows it. */
export interface ShownNode {
  readonly space: string;
  readonly node: string;
  readonly uid: string;
  readonly labels: Labels;
  readonly resourceVersion: string;
  /** The prefixes in the object, as it has them. */
  readonly podCidrs: readonly string[];
}

/** The prefixes of a node after an event. */
export interface FollowedNode {
  readonly prefixes: readonly NodePrefix[];
  /** The prefixes that the object lacks. */
  readonly writes: readonly Cidr[];
}

/**
 * Returns the prefixes of a node if it holds what the object states, so that an event with nothing new costs a few reads. The slots
 * decide what it holds: a release of one prefix of two leaves the allocation as it is.
 *
 * @returns nothing if more must be done; no prefixes in a space without pools of prefixes
 */
export async function prefixesAsShown(
  context: Context,
  shown: ShownNode,
): Promise<FollowedNode | undefined> {
  const { space } = shown;
  const { pools } = await configurationOf(context, space);
  const serving = pools.filter((pool) => assignsPrefixes(pool) && pool.state === "active");
  if (serving.length === 0) return { prefixes: [], writes: [] };
  const stated = shown.podCidrs.map(parseNetwork).flatMap((read) => (read.ok ? [read.value] : []));
  if (stated.length === 0 || stated.length < shown.podCidrs.length) return undefined;
  const allocations = await allocationsOfNode(context, shown);
  const isSettled = allocations.every(
    ({ state, expiresAtMs, released }) =>
      state === "live" && expiresAtMs === undefined && released.size === 0,
  );
  if (!isSettled) return undefined;
  const holdings = await inParallel(allocations, PAGE_READS_AT_ONCE, (allocation) =>
    holdingsOf(context, allocation),
  );
  const held = holdings.flat().map(({ block }) => block.cidr);
  const isSame =
    held.length === stated.length &&
    held.every((cidr) => stated.some((each) => sameCidr(each, cidr)));
  const prefixes = held.flatMap((cidr) => ofPool(serving, cidr));
  return isSame && prefixes.length === held.length ? { prefixes, writes: [] } : undefined;
}

/**
 * Does for a Node object what a request with its `podCIDRs` does, after its event was applied.
 *
 * @param asShown what `prefixesAsShown` said. It counts if no object of the uid has stated more. An earlier one that is about to state
 *   more learns from the report that this one has spoken
 * @returns the prefixes; or the rejection; or no prefixes for a node without any that no pool serves
 */
export async function followNode(
  context: Context,
  { podCidrs, labels, ...named }: ShownNode,
  asShown?: FollowedNode,
): Promise<FollowedNode | Rejection> {
  if (asShown?.prefixes.length === 0) return asShown;
  if (asShown && !(await readStated(context, statingOf(named)))) return asShown;
  const read = podCidrs.map(parseNetwork);
  const stated = read.flatMap((each) => (each.ok ? [each.value] : []));
  const families = new Set(stated.map(({ family }) => family));
  if (families.size < podCidrs.length) {
    await stateAfter(context, statingOf(named), stated, { given: [], withheld: [] });
    return unreadable(podCidrs);
  }
  const { settings } = await configurationOf(context, named.space);
  const ensured = await ensurePrefixes(context, {
    ...named,
    allocator: "RangeAllocator",
    podCidrs: stated,
    aliases: [],
    pools: [],
    // Where hosts must be registered, only the register counts, and the event has just written it.
    ...(!settings.requireRegisteredHosts && { hostLabels: labels }),
    confirmSeconds: CONFIRM_SECONDS_DEFAULT,
  });
  if (!(ensured instanceof Rejection))
    return { prefixes: ensured.prefixes, writes: ensured.write?.node ?? [] };
  const isUnserved = ensured.code === "no_pool_available" && stated.length === 0;
  return isUnserved ? { prefixes: [], writes: [] } : ensured;
}

function ofPool(pools: readonly Pool[], cidr: Cidr): readonly NodePrefix[] {
  const pool = pools.find((each) => isBlockOf(each, cidr));
  return pool ? [{ cidr, pool: pool.name }] : [];
}

const unreadable = (podCidrs: readonly string[]): Rejection =>
  new Rejection(
    "invalid_request",
    `spec.podCIDRs ${podCidrs.join(", ")} must be networks, at most one of a family.`,
    { fields: [{ field: "spec.podCIDRs", value: podCidrs, problem: "must be networks" }] },
  );
