import { Rejection } from "../../../base/outcome.ts";
import { changeLease } from "../../../kernel/allocations/change-lease.ts";
import { assign } from "../../../kernel/assign/assign.ts";
import { poolOfPrefix } from "../../../kernel/assign/pool-of-prefix.ts";
import { whyTaken } from "../../../kernel/assign/prefix-taken.ts";
import { areHeld, grantedUnderLimit } from "../../../kernel/assign/quota.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { freePrefix } from "../../../kernel/end/free-named.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import { type Cidr, formatCidr } from "../../../net/cidr.ts";
import { changesTo, type NodePrefix, type PrefixesToHold } from "../../node/prefixes.ts";
import {
  type GrantedPrefix,
  type PrefixRequest,
  prefixesOf,
  prefixesOfAssignment,
} from "./node-prefix.ts";

/**
 * Makes a node have exactly the prefixes that it or its cloud provider states, all confirmed: gives others back, takes what is missing,
 * and then takes the lease off what was unconfirmed, as it was read. A crash leaves some unconfirmed; the next statement goes on.
 *
 * @param decision.replaces true if confirmed others go back too; otherwise they reject the request with `prefix_mismatch`
 * @param decision.keepsOthers true if others stay as they are
 */
export function holdPrefixes(
  context: Context,
  request: PrefixRequest,
  decision: PrefixesToHold,
): Promise<readonly NodePrefix[] | Rejection> {
  return compareAndSwap<readonly NodePrefix[] | Rejection>(
    "the prefixes of this node",
    async () => {
      const granted = await grantedUnderLimit(context, request);
      if (granted instanceof Rejection) return answer(granted);
      const has = granted.flatMap(prefixesOf);
      const changes = changesTo(has, decision);
      if ("mismatches" in changes)
        return answer(mismatch(request, decision.cidrs, changes.mismatches));
      const { giveBack, take, confirm } = changes;
      const rejected =
        (await whyNotAll(context, request, take)) ?? (await freeAll(context, giveBack));
      if (rejected) return answer(rejected);
      const taken = await takeStated(context, request, take);
      if (taken instanceof Rejection) return answer(taken);
      const kept = has.filter((each) => !giveBack.includes(each));
      if (!(await confirmAll(context, confirm))) return RETRY;
      // They were read before the writes, and a release may have come between.
      if (taken.length + confirm.length > 0 && !(await areHeld(context, grantedOf(kept))))
        return RETRY;
      return answer([...kept.map(({ cidr, pool }) => ({ cidr, pool })), ...taken]);
    },
  );
}

/**
 * Returns the rejection of a prefix that no pool has, or that has another owner. The node keeps what it has then, so this comes before
 * anything is freed.
 */
async function whyNotAll(
  context: Context,
  { space, assignedBy }: PrefixRequest,
  cidrs: readonly Cidr[],
): Promise<Rejection | undefined> {
  if (cidrs.length === 0) return undefined;
  const configuration = await configurationOf(context, space);
  for (const cidr of cidrs) {
    const pool = poolOfPrefix(configuration, space, cidr, assignedBy);
    if (pool instanceof Rejection) return pool;
    const block = await context.store.readBlock(space, cidr);
    const taken = block && (await whyTaken(context, block));
    if (taken) return taken;
  }
  return undefined;
}

/** Frees prefixes one by one, each exactly as it was assigned. */
async function freeAll(
  context: Context,
  prefixes: readonly GrantedPrefix[],
): Promise<Rejection | undefined> {
  for (const { allocation, holding } of prefixes) {
    const freed = await freePrefix(context, allocation, holding.part);
    if (freed instanceof Rejection) return freed;
  }
  return undefined;
}

async function takeStated(
  context: Context,
  request: PrefixRequest,
  stated: readonly Cidr[],
): Promise<readonly NodePrefix[] | Rejection> {
  if (stated.length === 0) return [];
  const wanted = stated.map(({ family }) => ({ family, count: 1 }));
  const assigned = await assign(context, { ...request, wanted, prefixes: { stated } });
  return assigned instanceof Rejection ? assigned : prefixesOfAssignment(assigned);
}

/** Takes the leases off. @returns false if an allocation has changed since it was read */
async function confirmAll(context: Context, prefixes: readonly GrantedPrefix[]): Promise<boolean> {
  const allocations = new Set<Allocation>(prefixes.map(({ allocation }) => allocation));
  for (const allocation of allocations) if (!(await changeLease(context, allocation))) return false;
  return true;
}

const grantedOf = (prefixes: readonly GrantedPrefix[]) =>
  prefixes.map(({ allocation, holding }) => ({ allocation, held: [holding] }));

function mismatch(
  { handle }: PrefixRequest,
  stated: readonly Cidr[],
  confirmed: readonly GrantedPrefix[],
): Rejection {
  const others = confirmed.map(({ cidr }) => formatCidr(cidr));
  const texts = stated.map(formatCidr);
  return new Rejection(
    "prefix_mismatch",
    `The node states ${texts.join(" and ")}, but it has ${others.join(" and ")}, which it confirmed. Release that first, or correct the node.`,
    { handle, stated: texts, confirmed: others },
  );
}
