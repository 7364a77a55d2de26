import { PERCENT_MAX } from "../../base/limits.ts";

/** So many ends at once are never taken for a mistake. */
const GONE_NODES_UNSUSPICIOUS_MAX = 2;

/** A node as its zone counts it. */
export interface NodeInZone {
  readonly zone: string;
  /** The status of its condition `Ready`; absent if it never had one. Such a node counts as not ready. */
  readonly ready: string | undefined;
  /** True if it does not count in the disruption of its zone. */
  readonly isExcluded: boolean;
}

type ZoneState = "Normal" | "PartialDisruption" | "FullDisruption";

/** The nodes of a zone, and the rate at which those that are not ready may lose their pods. */
interface ZoneHealth {
  readonly zone: string;
  readonly nodes: number;
  readonly ready: number;
  readonly notReady: number;
  readonly state: ZoneState;
  readonly evictionsPerSecond: number;
}

export interface ZonesHealth {
  /** In the order of their names. */
  readonly zones: readonly ZoneHealth[];
  /** True if each zone with a node that counts is disrupted in full. Then nothing is evicted anywhere. */
  readonly allDisrupted: boolean;
}

/** The defaults of kube-controller-manager: https://kubernetes.io/docs/concepts/architecture/nodes/#rate-limits-on-eviction */
const EVICTIONS_PER_SECOND = 0.1;
const EVICTIONS_PER_SECOND_REDUCED = 0.01;
const LARGE_ZONE_NODES = 50;
const UNHEALTHY_SHARE_MIN = 0.55;
const NOT_READY_UNSUSPICIOUS_MAX = 2;

/**
 * Counts the nodes of each zone, and judges the zones as Kubernetes' node lifecycle controller does (`handleDisruption`
 * and `ComputeZoneState` in pkg/controller/nodelifecycle/node_lifecycle_controller.go).
 */
export function zonesOf(nodes: readonly NodeInZone[]): ZonesHealth {
  const names = [...new Set(nodes.map(({ zone }) => zone))].sort();
  const counted = names.map((zone) => countsOf(zone, nodes));
  const judged = counted.filter(({ ready, notReady }) => ready + notReady > 0);
  const allDisrupted = judged.length > 0 && judged.every(({ state }) => state === "FullDisruption");
  const zones = counted.map((zone) => ({
    ...zone,
    evictionsPerSecond: allDisrupted ? 0 : rateOf(zone),
  }));
  return { zones, allDisrupted };
}

type Counted = Omit<ZoneHealth, "evictionsPerSecond">;

function countsOf(zone: string, all: readonly NodeInZone[]): Counted {
  const nodes = all.filter((node) => node.zone === zone);
  const counting = nodes.filter((node) => !node.isExcluded);
  const ready = counting.filter((node) => node.ready === "True").length;
  const notReady = counting.length - ready;
  return { zone, nodes: nodes.length, ready, notReady, state: stateOf(ready, notReady) };
}

function stateOf(ready: number, notReady: number): ZoneState {
  if (ready === 0 && notReady > 0) return "FullDisruption";
  const isPartial =
    notReady > NOT_READY_UNSUSPICIOUS_MAX && notReady >= UNHEALTHY_SHARE_MIN * (ready + notReady);
  return isPartial ? "PartialDisruption" : "Normal";
}

function rateOf({ state, ready, notReady }: Counted): number {
  if (state !== "PartialDisruption") return EVICTIONS_PER_SECOND;
  return ready + notReady > LARGE_ZONE_NODES ? EVICTIONS_PER_SECOND_REDUCED : 0;
}

/**
 * Returns true if so many nodes ended at once that it seems a mistake: a watch of the wrong cluster, or a lost one. Then
 * none of them is freed until an operator raises the share. Kubernetes stops evictions for the same reason.
 *
 * @param due the nodes whose quarantine is over
 * @param registered the nodes in the register, without them
 * @param percentMax the share of all nodes from which on it seems a mistake; 100 for none
 */
export function areTooManyGone(due: number, registered: number, percentMax: number): boolean {
  return (
    percentMax < PERCENT_MAX &&
    due > GONE_NODES_UNSUSPICIOUS_MAX &&
    PERCENT_MAX * due >= percentMax * (due + registered)
  );
}
