import { assertTexts } from "./assertions.ts";
import type { Labels } from "./labels.ts";

/** A namespace of workloads as an operator registered it; the namespace selectors of pools evaluate its labels. */
export interface Namespace {
  readonly space: string;
  readonly name: string;
  readonly labels: Labels;
  readonly revision: string;
}

/** Checks that a namespace has the revision that every change of it is conditional on. @throws {Error} */
export function assertNamespace({ space, name, revision }: Namespace): void {
  assertTexts({ space, name, revision });
}
