import { CONFIRM_SECONDS_DEFAULT } from "../../../base/limits.ts";
import { Rejection } from "../../../base/outcome.ts";
import { grantedUnderLimit } from "../../../kernel/assign/quota.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { isExpired } from "../../../kernel/values/allocation.ts";
import { nodeHandle } from "../../../kernel/values/handle.ts";
import { formatCidr, parseNetwork } from "../../../net/cidr.ts";
import type { NodePrefix } from "../../node/prefixes.ts";
import { choosePrefixes } from "../../prefix/operations/choose-prefixes.ts";
import { holdPrefixes } from "../../prefix/operations/hold-prefixes.ts";
import {
  type GrantedPrefix,
  prefixesOf,
  prefixRequestOf,
} from "../../prefix/operations/node-prefix.ts";
import { releasePrefixes } from "../../prefix/operations/release-prefixes.ts";
import { type ClusterPoolDecision, decideClusterPool } from "../cluster-pool.ts";
import { ciliumSentence } from "../object.ts";
import type { CiliumGrant, CiliumRequest, Mode } from "./mode.ts";

type Held = readonly GrantedPrefix[];

interface Decision extends ClusterPoolDecision {
  /** True if the time of an unconfirmed prefix is over. It begins anew, because the node still needs the prefix. */
  readonly renews: boolean;
}

/** Mode `cluster-pool`: the prefixes that the node has by Kubernetes' routes too. */
export const clusterPool: Mode<Held, Decision> = {
  gives: "prefixes",

  async held(context, { space, node, uid }) {
    const granted = await grantedUnderLimit(context, { space, handle: nodeHandle(node, uid) });
    return granted instanceof Rejection ? granted : granted.flatMap(prefixesOf);
  },

  stated: ({ object }) => statedIn(object.ipam.podCIDRs),

  hasAny: (held) => held.length > 0,

  // Nothing is given back before it is freed: only a release takes a prefix from its node.
  finish: async () => false,

  decide: ({ node, object, families }, { served }, held, nowMs) => ({
    ...decideClusterPool({
      node,
      stated: statedIn(object.ipam.podCIDRs),
      held,
      ...(families && { families }),
      served,
    }),
    renews: held.some(({ allocation }) => isExpired(allocation, nowMs)),
    entries: [],
    excessSinceMs: {},
  }),

  async carryOut(context, request, decision, held) {
    const stated = decision.hold.length > 0 ? await hold(context, request, decision) : held;
    if (stated instanceof Rejection)
      return inProgress(stated) ?? grantOf(request, decision, held, held, stated);
    const { choose, renews } = decision;
    if (choose.length === 0 && !renews) return grantOf(request, decision, held, stated);
    const asked = prefixRequestOf({ ...request, pools: [] });
    const all = await choosePrefixes(context, asked, CONFIRM_SECONDS_DEFAULT, choose);
    return all instanceof Rejection
      ? (inProgress(all) ?? grantOf(request, decision, held, stated, all))
      : grantOf(request, decision, held, all);
  },

  async release(context, { space, name: node, uid }) {
    const released = await releasePrefixes(context, { space, node, uid });
    // Without one prefix to name, nothing rejects it.
    if (released instanceof Rejection) throw new Error(released.detail);
    return { released: released.map(formatCidr), complete: true };
  },
};

const statedIn = (podCidrs: readonly string[] = []) =>
  podCidrs.map(parseNetwork).flatMap((read) => (read.ok ? [read.value] : []));

/** Takes and confirms what the node shows. What it has beside that stays unconfirmed until it shows that too. */
const hold = (context: Context, request: CiliumRequest, { hold: cidrs }: Decision) =>
  holdPrefixes(context, prefixRequestOf({ ...request, pools: [] }), {
    cidrs,
    replaces: false,
    keepsOthers: true,
  });

const inProgress = (rejection: Rejection): Rejection | undefined =>
  rejection.code === "request_in_progress" ? rejection : undefined;

function grantOf(
  { node }: CiliumRequest,
  { hold, choose, errors }: Decision,
  before: Held,
  prefixes: readonly NodePrefix[],
  rejection?: Rejection,
): CiliumGrant {
  const podCIDRs = prefixes
    .toSorted((a, b) => a.cidr.family - b.cidr.family)
    .map(({ cidr }) => formatCidr(cidr));
  const had = before.map(({ cidr }) => formatCidr(cidr));
  const families = [...hold.map(({ family }) => family), ...choose];
  return {
    ipam: { podCIDRs },
    taken: podCIDRs.filter((cidr) => !had.includes(cidr)),
    errors: rejection ? [...errors, ciliumSentence({ node, families }, rejection.detail)] : errors,
  };
}
