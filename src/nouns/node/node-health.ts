import type { Labels } from "../../net/labels.ts";
import type { Settings } from "../settings/settings.ts";
import type { NodeIncarnation, NodeReport, SignOfLife } from "./node-report.ts";

/** A taint as a Node object has it. */
export interface Taint {
  readonly key: string;
  readonly effect: string;
  readonly [field: string]: unknown;
}

/** The health of a node, as Kubernetes' node lifecycle controller judges it. */
export interface NodeHealth {
  readonly conditions: Readonly<Record<string, string>>;
  /** The reason for which `Ready` is not `True`. */
  readonly reason?: string;
  readonly lastSeenAtMs: number;
  /** The taints that the node should have because of its conditions. */
  readonly taints: readonly Pick<Taint, "key" | "effect">[];
}

/** The signs by which health is judged. */
export interface HealthSigns {
  readonly report: Pick<NodeReport, "conditions" | "reason" | "isUnschedulable" | "seenAtMs">;
  readonly signOfLife: Pick<SignOfLife, "seenAtMs"> | undefined;
}

/** The times for which a node may be silent. */
export interface Graces {
  /** 0 if silence is not judged. */
  readonly graceMs: number;
  /** The time of a node that never reported, in place of the other. */
  readonly startupGraceMs: number;
}

/** Returns the times for which a node of a space may be silent. */
export const gracesOf = ({
  nodeMonitorGraceSeconds,
  nodeStartupGraceSeconds,
}: Settings): Graces => ({
  graceMs: 1000 * nodeMonitorGraceSeconds,
  startupGraceMs: 1000 * nodeStartupGraceSeconds,
});

/**
 * Judges the health of a node by its report, when it is asked for. A node is silent if neither its heartbeat nor its
 * Lease changed within the grace period, by Plat's clock. A node without the condition `Ready` never reported, and has the
 * start-up grace (`tryUpdateNodeHealth` in Kubernetes' pkg/controller/nodelifecycle/node_lifecycle_controller.go).
 */
export function healthOf(
  { report, signOfLife }: HealthSigns,
  { nowMs, graceMs, startupGraceMs }: Graces & { readonly nowMs: number },
): NodeHealth {
  const lastSeenAtMs = Math.max(report.seenAtMs, signOfLife?.seenAtMs ?? 0);
  const conditions = new Map(report.conditions);
  let { reason } = report;
  const hasReported = conditions.has(READY);
  if (graceMs > 0 && nowMs - lastSeenAtMs > (hasReported ? graceMs : startupGraceMs)) {
    reason = hasReported ? "NodeStatusUnknown" : "NodeStatusNeverUpdated";
    for (const type of SILENCED) conditions.set(type, "Unknown");
  }
  const ready = conditions.get(READY);
  return {
    conditions: Object.fromEntries(conditions),
    ...(reason !== undefined && ready !== undefined && ready !== "True" && { reason }),
    lastSeenAtMs,
    taints: [
      ...TAINTS.filter(({ type, status }) => conditions.get(type) === status).flatMap(
        ({ key, effects }) => effects.map((effect) => ({ key, effect })),
      ),
      ...(report.isUnschedulable ? [{ key: UNSCHEDULABLE, effect: NO_SCHEDULE }] : []),
    ],
  };
}

const READY = "Ready";
const NO_SCHEDULE = "NoSchedule";
const NO_EXECUTE = "NoExecute";
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

/**
 * Returns the heartbeat of a node: that of its condition `Ready`. The kubelet writes it, and others than the kubelet can
 * write other conditions while it is silent.
 */
export const heartbeatIn = (
  conditions: readonly {
    readonly type: string;
    readonly lastHeartbeatTime?: string | null | undefined;
  }[],
): string | undefined =>
  conditions.find(({ type }) => type === READY)?.lastHeartbeatTime ?? undefined;

/** The conditions of a silent node. Nothing follows from silence for its network. */
const SILENCED = [READY, "MemoryPressure", "DiskPressure", "PIDPressure"];

const BOTH = [NO_SCHEDULE, NO_EXECUTE];

/** https://kubernetes.io/docs/reference/labels-annotations-taints/ */
const TAINTS = [
  { type: READY, status: "False", key: "node.kubernetes.io/not-ready", effects: BOTH },
  { type: READY, status: "Unknown", key: "node.kubernetes.io/unreachable", effects: BOTH },
  ...[
    ["MemoryPressure", "memory-pressure"],
    ["DiskPressure", "disk-pressure"],
    ["NetworkUnavailable", "network-unavailable"],
    ["PIDPressure", "pid-pressure"],
  ].map(([type = "", name = ""]) => ({
    type,
    status: "True",
    key: `node.kubernetes.io/${name}`,
    effects: [NO_SCHEDULE],
  })),
];

/** The taints that go with their condition. One of another effect is somebody else's. */
const MANAGED = [
  ...TAINTS.flatMap(({ key, effects }) => effects.map((effect) => ({ key, effect }))),
  { key: UNSCHEDULABLE, effect: NO_SCHEDULE },
];

/**
 * Returns the taints that a node should have in place of its own; nothing if it has them. Plat adds no `NoExecute` taint,
 * because evictions go by the rate of the zone. It replaces one by the other, and removes it.
 */
export function taintsAfter(
  own: readonly Taint[],
  due: NodeHealth["taints"],
): readonly Taint[] | undefined {
  const isDue = (taint: Taint) => isAmong(due, taint);
  const isManaged = (taint: Taint) => isAmong(MANAGED, taint);
  const isEvicting = (taint: Taint) => taint.effect === NO_EXECUTE && isManaged(taint);
  const had = own.some(isEvicting);
  const kept = own.filter((taint) => !isManaged(taint) || isDue(taint));
  const added = due.filter(
    (taint) => !isAmong(kept, taint) && (taint.effect !== NO_EXECUTE || had),
  );
  return kept.length === own.length && added.length === 0 ? undefined : [...kept, ...added];
}

const isAmong = (taints: NodeHealth["taints"], { key, effect }: Taint): boolean =>
  taints.some((taint) => taint.key === key && taint.effect === effect);

/** The statement of a Node object about its node. */
export interface NodeStatement
  extends NodeIncarnation,
    Pick<
      NodeReport,
      | "podCidrs"
      | "conditions"
      | "reason"
      | "isUnschedulable"
      | "zone"
      | "isExcluded"
      | "machine"
      | "heartbeat"
      | "annotations"
    > {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
}

/** An event of a cluster or of its cloud, as far as Plat acts on it. */
export type ClusterEvent =
  | { readonly act: "state"; readonly name: string; readonly statement: NodeStatement }
  | { readonly act: "end"; readonly name: string; readonly ended: NodeIncarnation }
  | { readonly act: "release"; readonly name: string; readonly uid: string }
  | { readonly act: "renew"; readonly name: string; readonly renewedAt: string }
  | { readonly act: "terminate"; readonly name: string };

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
export function nodePatchOf(
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
