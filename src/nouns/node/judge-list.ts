import { same } from "../../base/same.ts";
import { isLater } from "./judge-node.ts";
import type { NodeReport } from "./node-report.ts";
import { areTooManyGone } from "./zone.ts";

/** A node as a complete list of its cluster has it. */
export interface ListedNode {
  readonly name: string;
  readonly uid: string;
  /** The prefixes that the object has, as it has them. */
  readonly podCidrs: readonly string[];
}

/** All nodes of a cluster at one version. */
export interface NodeList {
  readonly cluster: string;
  /** The version of the list. Versions of objects of one kind are comparable with it. */
  readonly resourceVersion: string;
  readonly nodes: readonly ListedNode[];
}

/** The times and shares by which a list is judged. */
export interface ListLimits {
  readonly nowMs: number;
  /** The time after a first list without a node before a later list ends it. */
  readonly quarantineMs: number;
  /** The share of the cluster's nodes from which on it seems a mistake that they are missing; 100 for none. */
  readonly percentMax: number;
}

/** The consequences of a list, unless it lacks too many nodes. */
export interface ListVerdict {
  /** Nodes that two lists lack, the second one late enough: they are ended. */
  readonly ended: readonly NodeReport[];
  /** Nodes that the list lacks, and no list before it. */
  readonly marked: readonly NodeReport[];
  /** Nodes that an earlier list lacked. */
  readonly waiting: readonly NodeReport[];
  /** Nodes of the list that an earlier list lacked. */
  readonly back: readonly NodeReport[];
  /** Names of the list that Plat does not know, or as another object, or with other prefixes. */
  readonly unknown: readonly string[];
}

/** The nodes that a list lacks, if they are so many that it seems a mistake. */
export interface TooManyMissing {
  readonly missing: readonly NodeReport[];
}

/**
 * Judges a complete list of a cluster's nodes by the reports of its space. Only nodes that the cluster reports can be
 * missing, and only those whose report is older than the list. A name that the list has for another object is not
 * missing: the event of that object replaces the node.
 */
export function judgeList(
  reports: readonly NodeReport[],
  list: NodeList,
  { nowMs, quarantineMs, percentMax }: ListLimits,
): ListVerdict | TooManyMissing {
  const listed = new Map(list.nodes.map((node) => [node.name, node]));
  const known = new Map(reports.map((report) => [report.name, report]));
  const ours = reports.filter(({ cluster }) => cluster === list.cluster);
  const missing = ours.filter((report) => !listed.has(report.name) && isLater(list, report));
  const isEmptied = list.nodes.length === 0 && missing.length > 0 && percentMax < 100;
  if (isEmptied || areTooManyGone(missing.length, ours.length - missing.length, percentMax))
    return { missing };
  const isDue = ({ missing: mark }: NodeReport) =>
    mark !== undefined && isLater(list, mark) && nowMs - mark.sinceMs >= quarantineMs;
  return {
    ended: missing.filter(isDue),
    marked: missing.filter((report) => report.missing === undefined),
    waiting: missing.filter((report) => report.missing !== undefined && !isDue(report)),
    back: ours.filter(({ name, uid, missing: mark }) => mark && listed.get(name)?.uid === uid),
    unknown: list.nodes
      .filter((node) => isUnknown(known.get(node.name), node, list))
      .map(({ name }) => name),
  };
}

/** Returns true if Plat does not know a listed node as it is, and has not heard of it since the list. */
function isUnknown(report: NodeReport | undefined, node: ListedNode, list: NodeList): boolean {
  if (report?.uid !== node.uid || report.cluster !== list.cluster) return true;
  return !isLater(report, list) && !same(report.podCidrs, node.podCidrs);
}
