import { assertTexts } from "../../base/assertions.ts";
import type { Family } from "../../net/address.ts";
import type { Labels } from "../../net/labels.ts";

/** The pools of requests that name none: names, CIDRs and patterns in one list for both families, or in one for each. */
export type DefaultPools = readonly string[] | Readonly<Record<Family, readonly string[]>>;

/** The fields of a namespace that operators set. */
export interface NamespaceSpec {
  /** The namespace selectors of pools evaluate them. */
  readonly labels: Labels;
  /** Absent: the next rule applies. */
  readonly defaultPools?: DefaultPools;
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
