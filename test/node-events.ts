import type { Context } from "../src/kernel/core/context.ts";
import type { ClusterEvent, NodeStatement } from "../src/nouns/node/node-health.ts";
import { applyEvents } from "../src/nouns/node/operations/apply-events.ts";
import { SPACE } from "./world.ts";

/** Events of one node, as the allocator gets them. */

export const NODE = "node-1";

/** Returns what a Node object says. */
export function stated(version: number, said: Partial<NodeStatement> = {}): ClusterEvent {
  const statement: NodeStatement = {
    uid: "uid-1",
    resourceVersion: String(version),
    createdAtMs: 1_000,
    labels: { zone: "a" },
    podCidrs: [],
    conditions: [["Ready", "True"]],
    isUnschedulable: false,
    zone: "",
    isExcluded: false,
    machine: "i-1",
    heartbeat: String(version),
    taints: [],
    annotations: [],
    ...said,
  };
  return { act: "state", name: NODE, statement };
}

export const deleted = (version: number, uid = "uid-1"): ClusterEvent => ({
  act: "end",
  name: NODE,
  ended: { uid, resourceVersion: String(version), createdAtMs: 1_000 },
});

/** Applies events in their order. */
export const say = (context: Context, ...events: readonly ClusterEvent[]) =>
  applyEvents(context, { space: SPACE }, events);
