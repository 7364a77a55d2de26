import type { NodeStatement } from "./node-event.ts";
import { healthOf, type Taint, taintsAfter } from "./node-health.ts";

/**
 * A JSON merge patch for a Node object. It names the object's uid and version, so that the API server refuses a stale
 * one.
 */
export interface NodePatch {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string };
  readonly spec: {
    readonly taints?: readonly Taint[];
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
  };
}

/**
 * Returns what a Node object lacks; nothing if it lacks nothing.
 *
 * @param podCidrs the prefixes that the object lacks
 */
export function nodePatch(
  statement: NodeStatement,
  podCidrs: readonly string[],
): NodePatch | undefined {
  const { uid, resourceVersion } = statement;
  // The node has just spoken, so its conditions are as it says.
  const spoken = { report: { ...statement, seenAtMs: 0 }, signOfLife: undefined };
  const due = healthOf(spoken, { nowMs: 0, graceMs: 0, startupGraceMs: 0 }).taints;
  const taints = taintsAfter(statement.taints, due);
  const [podCIDR] = podCidrs;
  if (!taints && podCIDR === undefined) return undefined;
  // The API server wants the first of them as podCIDR.
  const prefixes = podCIDR !== undefined && { podCIDR, podCIDRs: podCidrs };
  return { metadata: { uid, resourceVersion }, spec: { ...(taints && { taints }), ...prefixes } };
}
