import { assertTexts, assertTimes } from "../../base/assertions.ts";

/** The fields that tell one object of a node's name from another, and its states from each other. */
export interface NodeIncarnation {
  readonly uid: string;
  /** A whole number as text. It rises with every change of the object. */
  readonly resourceVersion: string;
  readonly createdAtMs: number;
}

/** The last word of a cluster about a node: the Node object, as far as Plat needs it. */
export interface NodeReport extends NodeIncarnation {
  readonly space: string;
  readonly name: string;
  /** The cluster that reports the node; absent if none of its events named one. */
  readonly cluster?: string;
  /** The prefixes that the object has, as it has them. */
  readonly podCidrs: readonly string[];
  /** The status of each condition by its type, such as `["Ready", "True"]`. */
  readonly conditions: readonly (readonly [type: string, status: string])[];
  /** The reason of the condition `Ready`. */
  readonly reason?: string;
  readonly isUnschedulable: boolean;
  /** The region and the zone, joined by a slash; empty if the object has neither. */
  readonly zone: string;
  /** True if the node does not count in the disruption of its zone. */
  readonly isExcluded: boolean;
  /** The id of the machine in its cloud. */
  readonly machine?: string;
  /** The time of the heartbeat of the condition `Ready`, as the kubelet wrote it. Only a change of it counts. */
  readonly heartbeat?: string;
  /** The time at which Plat saw the heartbeat change, by its own clock. */
  readonly seenAtMs: number;
  /** The annotations of Cilium, which are the prefixes and the own addresses of the node (Cilium, pkg/annotation/k8s.go). */
  readonly annotations: readonly (readonly [name: string, value: string])[];
  /** The first complete list of its cluster that lacked the node, since its last word. */
  readonly missing?: MissingMark;
  /** True until the author has written the labels of the node too. The next author then writes them, whatever they are. */
  readonly isRegistering: boolean;
  readonly revision: string;
}

/** The annotations that a cluster with Cilium has on its nodes, in both spellings (Cilium, pkg/annotation/k8s.go). */
export const CILIUM_ANNOTATION =
  /^(network\.cilium\.io\/|io\.cilium\.network\.)ipv[46]-(pod-cidr|cilium-host|health-ip)$/;

/** A complete list that lacked a node. */
export interface MissingMark {
  readonly resourceVersion: string;
  /** The time of the list by Plat's clock. */
  readonly sinceMs: number;
}

/** A sign of life of a node: the last renewal of its Lease. It is a hint. */
export interface SignOfLife {
  readonly space: string;
  readonly name: string;
  /** The time of the renewal, as the kubelet wrote it. Only a change of it counts. */
  readonly renewedAt: string;
  /** The time at which Plat saw it change, by its own clock. */
  readonly seenAtMs: number;
}

/** Checks that a report has its revision, and what tells it from reports of other objects. @throws {Error} */
export function assertNodeReport(report: NodeReport): void {
  const { space, name, uid, resourceVersion, revision, createdAtMs, seenAtMs } = report;
  assertTexts({ space, name, uid, resourceVersion, revision });
  assertTimes(createdAtMs, seenAtMs);
}

/** Checks that a sign of life has its times. @throws {Error} */
export function assertSignOfLife({ space, name, renewedAt, seenAtMs }: SignOfLife): void {
  assertTexts({ space, name, renewedAt });
  assertTimes(seenAtMs);
}
