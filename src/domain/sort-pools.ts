import { isRanged, narrows, type Pool } from "./pool.ts";

/** The score of each condition: as one bit, so that a condition beats all those after it together (Spiderpool). */
const SCORES = {
  podSelector: 32,
  nodeNames: 16,
  nodeSelector: 8,
  namespaceNames: 4,
  namespaceSelector: 2,
  networks: 1,
} as const;

/** A pool that can serve, and its score. */
export interface Scored {
  readonly score: number;
}

/**
 * Returns the sum over the conditions that a pool was judged by (Spiderpool's `ByPoolPriority`). `all()` is no condition.
 * A node or namespace selector scores in ranged pools only, so that Automatic pools keep the order that Calico gives them.
 */
export function scoreOf(pool: Pool): number {
  const { podSelector, nodeNames, nodeSelector, namespaceNames, namespaceSelector } = pool;
  const { networks } = pool;
  const byLabels = isRanged(pool);
  return (
    (narrows(podSelector) ? SCORES.podSelector : 0) +
    (nodeNames ? SCORES.nodeNames : 0) +
    (byLabels && !nodeNames && narrows(nodeSelector) ? SCORES.nodeSelector : 0) +
    (namespaceNames ? SCORES.namespaceNames : 0) +
    (byLabels && !namespaceNames && narrows(namespaceSelector) ? SCORES.namespaceSelector : 0) +
    (networks ? SCORES.networks : 0)
  );
}

/**
 * Returns pools in the order in which Plat tries them: the highest score first, and those of one score in the order in
 * which they came. That is the order of the request's list, else the order of names.
 */
export const sorted = <One extends Scored>(pools: readonly One[]): readonly One[] =>
  pools.toSorted((a, b) => b.score - a.score);
