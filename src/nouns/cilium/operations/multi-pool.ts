import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { freePrefix } from "../../../kernel/end/free-named.ts";
import { releaseHandle } from "../../../kernel/release/release-handle.ts";
import { ciliumPoolHandle } from "../../../kernel/values/handle.ts";
import { parseAddress } from "../../../net/address.ts";
import { cidrOf, formatCidr } from "../../../net/cidr.ts";
import { poolWithAddress } from "../../pool/of-address.ts";
import {
  decideMultiPool,
  listedPrefixes,
  type MultiPoolDecision,
  missingOf,
  poolsIn,
} from "../multi-pool.ts";
import type { CiliumReport } from "../report.ts";
import type { Mode } from "./mode.ts";
import { PoolGranting } from "./pool-granting.ts";
import { type GrantedPoolPrefix, poolsOnHost, prefixesOfPools } from "./pool-prefixes.ts";

type Held = readonly GrantedPoolPrefix[];

/** Mode `multi-pool`: prefixes of pools by name, as many as the node needs. Only the node gives one back. */
export const multiPool: Mode<Held, MultiPoolDecision<GrantedPoolPrefix>> = {
  // The node names the pools itself.
  gives: "nothing",

  held: (context, request, report) =>
    prefixesOfPools(context, request, [...poolsIn(request.object), ...poolsOf(report)]),

  stated: ({ object }) => listedPrefixes(object).map(({ cidr }) => cidr),

  hasAny: (held) => held.length > 0,

  async finish(context, _request, report, held) {
    const gone = report.entries.filter(({ state }) => state === "givenBack");
    const left = held.filter(({ pool, cidr }) =>
      gone.some((entry) => entry.pool === pool && entry.text === formatCidr(cidr)),
    );
    await freeAll(context, left);
    return left.length > 0;
  },

  decide: ({ object, families }, { report }, held) =>
    decideMultiPool({
      object,
      ...(families && { families }),
      earlier: report ?? { entries: [], excessSinceMs: {} },
      held,
    }),

  async carryOut(context, request, { giveBack, take, demands }, held) {
    await freeAll(context, giveBack);
    const kept = held.filter((each) => !giveBack.includes(each));
    const needsMore = take.length > 0 || demands.some((demand) => missingOf(demand, kept) > 0n);
    // The report still calls them given back. One that was taken again under it would be freed by the next request.
    if (giveBack.length > 0 && needsMore) return undefined;
    const granting = new PoolGranting(context, request, kept);
    for (const stated of take) {
      const rejected = await granting.take(stated);
      if (rejected) return rejected;
    }
    for (const demand of demands) {
      const rejected = await granting.ensure(demand);
      if (rejected) return rejected;
    }
    return granting.grant();
  },

  async release(context, report) {
    const { space, name: node, uid } = report;
    const found = await poolsOnHost(context, { space, node, uid });
    const released: string[] = [];
    let complete = true;
    for (const pool of new Set([...poolsOf(report), ...found])) {
      const ended = await releaseHandle(context, space, ciliumPoolHandle(node, uid, pool));
      complete &&= ended.complete;
      released.push(...ended.released);
    }
    return { released: await prefixesAt(context, space, released), complete };
  },
};

/** Returns the pools that a report names. */
const poolsOf = (report: CiliumReport | undefined): readonly string[] =>
  report ? [...poolsIn(report.object), ...report.entries.flatMap(({ pool }) => pool ?? [])] : [];

/** Frees prefixes one by one, each exactly as it was assigned. One that was freed meanwhile stays as it is. */
async function freeAll(context: Context, prefixes: Held): Promise<void> {
  for (const { allocation, holding } of prefixes)
    await freePrefix(context, allocation, holding.part);
}

/** Returns the prefixes that begin at some addresses, as text. */
async function prefixesAt(
  context: Context,
  space: string,
  addresses: readonly string[],
): Promise<readonly string[]> {
  const configuration = await configurationOf(context, space);
  return addresses.map((text) => {
    const address = parseAddress(text);
    const pool = address.ok ? poolWithAddress(configuration, address.value) : undefined;
    return address.ok && pool ? formatCidr(cidrOf(address.value, pool.blockSize)) : text;
  });
}
