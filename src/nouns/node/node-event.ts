import type { Labels } from "../../net/labels.ts";
import type { Taint } from "./node-health.ts";
import type { NodeIncarnation, NodeReport } from "./node-report.ts";

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
