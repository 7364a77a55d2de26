import { Rejection, together } from "../../../base/outcome.ts";
import { changeLease } from "../../../kernel/allocations/change-lease.ts";
import { assign } from "../../../kernel/assign/assign.ts";
import { poolsServing } from "../../../kernel/assign/family-requests.ts";
import { grantedUnderLimit } from "../../../kernel/assign/quota.ts";
import { requesterOf } from "../../../kernel/assign/requester.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { awaitAll } from "../../../kernel/core/parallel.ts";
import { isExpired } from "../../../kernel/values/allocation.ts";
import { FAMILIES, type Family } from "../../../net/address.ts";
import type { NodePrefix } from "../../node/prefixes.ts";
import { noneUnread } from "../../pool/configuration.ts";
import {
  type GrantedPrefix,
  type PrefixRequest,
  prefixesOf,
  prefixesOfAssignment,
} from "./node-prefix.ts";

/**
 * Gives a node one prefix of each family that pools serve, all or none. Those that it has stay. New ones are unconfirmed: they have a
 * lease of `confirmSeconds`. A lease that has ended begins anew, because the node still needs the prefix.
 *
 * @param families the families that the node needs beside those that it has
 */
export async function choosePrefixes(
  context: Context,
  request: PrefixRequest,
  confirmSeconds: number,
  families: readonly Family[] = FAMILIES,
): Promise<readonly NodePrefix[] | Rejection> {
  const { space } = request;
  const both = { ...request, wanted: wantedOf(FAMILIES), prefixes: { stated: [] } };
  const [configuration, has] = await awaitAll(
    configurationOf(context, space),
    renewed(context, request, confirmSeconds),
  );
  if (has instanceof Rejection) return has;
  const requester = await requesterOf(context, both, configuration);
  const pools = families.map((family) => poolsServing(both, configuration, requester, family));
  const served = families.filter((_, n) => !(pools[n] instanceof Rejection));
  const isHeld = (family: Family) => has.some(({ cidr }) => cidr.family === family);
  if (families.length === 0 || (has.length > 0 && served.every(isHeld))) return has;
  // A pool that cannot be read might have served the other family.
  if (served.length < families.length) noneUnread(configuration);
  if (served.length === 0) {
    const [first, ...others] = pools.filter((each) => each instanceof Rejection);
    return together(first as Rejection, ...others);
  }
  const assigned = await assign(context, {
    ...both,
    wanted: wantedOf(served),
    leaseSeconds: confirmSeconds,
  });
  if (assigned instanceof Rejection) return assigned;
  // A prefix stays with its node when its pool serves the node no more.
  const others = has.filter(({ cidr }) => !served.includes(cidr.family));
  return [...others, ...prefixesOfAssignment(assigned)];
}

const wantedOf = (families: readonly Family[]) => families.map((family) => ({ family, count: 1 }));

/** Returns the prefixes of a node, after leases that have ended began anew. */
function renewed(
  context: Context,
  request: PrefixRequest,
  confirmSeconds: number,
): Promise<readonly GrantedPrefix[] | Rejection> {
  return compareAndSwap<readonly GrantedPrefix[] | Rejection>(
    "the prefixes of this node",
    async () => {
      const granted = await grantedUnderLimit(context, request);
      if (granted instanceof Rejection) return answer(granted);
      const ended = granted.filter(({ allocation }) => isExpired(allocation, context.now()));
      if (ended.length === 0) return answer(granted.flatMap(prefixesOf));
      const allocations = new Set(ended.map(({ allocation }) => allocation));
      for (const allocation of allocations)
        await changeLease(context, allocation, context.now() + 1000 * confirmSeconds);
      return RETRY;
    },
  );
}
