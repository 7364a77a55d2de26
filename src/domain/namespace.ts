import { assertTexts } from "./assertions.ts";
import type { Labels } from "./labels.ts";

/** The fields of a namespace that operators set. */
export interface NamespaceSpec {
  /** The namespace selectors of pools evaluate them. */
  readonly labels: Labels;
  /** The pools of requests that name none: names, CIDRs and patterns. Absent: the next rule applies. */
  readonly defaultPools?: readonly string[];
}

/** A namespace of workloads as an operator registered it. */
export interface Namespace extends NamespaceSpec {
  readonly space: string;
  readonly name: string;
  readonly revision: string;
}

/** Checks that a namespace has the revision that every change of it is conditional on. @throws {Error} */
export function assertNamespace({ space, name, revision }: Namespace): void {
  assertTexts({ space, name, revision });
}
