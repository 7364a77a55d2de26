/**
 * Labels of a node or a namespace, as in Kubernetes. A label is an own property: `constructor` is a label only if it
 * was set.
 */
export type Labels = Readonly<Record<string, string>>;

export const NO_LABELS: Labels = {};
