/**
 * Labels of a node or a namespace, as in Kubernetes. A label is an own property: `constructor` is one where somebody set
 * it, and nowhere else.
 */
export type Labels = Readonly<Record<string, string>>;

export const NO_LABELS: Labels = {};
