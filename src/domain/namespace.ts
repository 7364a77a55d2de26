import type { Labels } from "./labels.ts";

/** A namespace of workloads as an operator registered it; the namespace selectors of pools evaluate its labels. */
export interface Namespace {
  readonly space: string;
  readonly name: string;
  readonly labels: Labels;
  readonly revision: string;
}
