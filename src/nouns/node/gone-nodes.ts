import { GONE_NODES_UNSUSPICIOUS_MAX, PERCENT_MAX } from "../../base/limits.ts";

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
