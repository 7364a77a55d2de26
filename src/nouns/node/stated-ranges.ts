import { assertTexts } from "../../base/assertions.ts";
import { isBlockOf } from "../../kernel/values/block-group.ts";
import { type Cidr, distinctCidrs, intervalOf, overlaps } from "../../net/cidr.ts";
import { assignsPrefixes, type Pool } from "../pool/pool.ts";

/** The ways in which Plat learns what a node states: its Node object, a request for its prefixes, or its CiliumNode. */
export const STATED_BY = ["node", "request", "cilium"] as const;

/** The place of what one incarnation of a node states in one way. */
export interface StatedNamed {
  readonly space: string;
  readonly node: string;
  readonly uid: string;
  readonly by: (typeof STATED_BY)[number];
}

/**
 * The networks in pools of prefixes that a node states, and that it does not have as prefixes: they have another size, or another owner.
 * Nobody is assigned a prefix that one of them touches. They are as many as an object can list (`CILIUM_PREFIXES_MAX`).
 */
export interface StatedRanges extends StatedNamed {
  readonly cidrs: readonly Cidr[];
  /** The version of the object that states them; absent for a request. Of two objects the later one counts. */
  readonly resourceVersion?: string;
  readonly revision: string;
}

/** Checks that an item has the revision that every change of it is conditional on. @throws {Error} */
export const assertStatedRanges = ({ revision }: StatedRanges): void => assertTexts({ revision });

/** Returns those of some networks that touch a pool of prefixes, each once. */
export function inPrefixPools(
  { pools }: { readonly pools: readonly Pool[] },
  cidrs: readonly Cidr[],
): readonly Cidr[] {
  const ofPrefixes = pools.filter(assignsPrefixes).map(({ cidr }) => intervalOf(cidr));
  return distinctCidrs(
    cidrs.filter((cidr) => ofPrefixes.some((run) => overlaps(run, intervalOf(cidr)))),
  );
}

/** Returns those of some networks that are no prefix of a pool. */
export const notPrefixes = (
  { pools }: { readonly pools: readonly Pool[] },
  cidrs: readonly Cidr[],
): readonly Cidr[] =>
  cidrs.filter((cidr) => !pools.some((pool) => assignsPrefixes(pool) && isBlockOf(pool, cidr)));
