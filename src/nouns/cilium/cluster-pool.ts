import { FAMILIES, type Family } from "../../net/address.ts";
import { type Cidr, formatCidr, sameCidr } from "../../net/cidr.ts";
import type { HeldPrefix } from "../node/prefixes.ts";
import { ciliumSentence } from "./object.ts";

/** A node in mode `cluster-pool`, as its CiliumNode and its allocations show it. */
export interface ClusterPoolNode {
  readonly node: string;
  /** The prefixes in `spec.ipam.podCIDRs`, at most one of a family. */
  readonly stated: readonly Cidr[];
  readonly held: readonly HeldPrefix[];
  /** The families that the node needs; absent: those that pools serve. */
  readonly families?: readonly Family[];
  readonly served: readonly Family[];
}

export interface ClusterPoolDecision {
  /** The prefixes that the node shows: they are taken, all or none, and confirmed. Empty if that is so already. */
  readonly hold: readonly Cidr[];
  /** The families that get a prefix which Plat chooses: all or none. */
  readonly choose: readonly Family[];
  readonly errors: readonly string[];
}

/**
 * Decides about a node whose prefixes Plat chooses. The rows are those of Cilium's operator (pkg/ipam/allocator/podcidr/podcidr.go):
 * what the node has stays, and what it shows beside that is taken.
 */
export function decideClusterPool(of: ClusterPoolNode): ClusterPoolDecision {
  const { node, stated, held, served } = of;
  const others = stated.filter((cidr) =>
    held.some((has) => has.cidr.family === cidr.family && !sameCidr(has.cidr, cidr)),
  );
  if (others.length > 0)
    return {
      hold: [],
      choose: [],
      errors: others.map((cidr) => mismatch(node, cidr, held)),
    };
  const wanted = of.families ?? served;
  const has = [...stated, ...held.map(({ cidr }) => cidr)].map(({ family }) => family);
  const missing = wanted.filter((family) => !has.includes(family));
  const isServed = (family: Family) => served.includes(family);
  const unserved = missing.filter((family) => !isServed(family));
  const isSettled = stated.every((cidr) =>
    held.some((each) => each.isConfirmed && sameCidr(each.cidr, cidr)),
  );
  return {
    hold: isSettled ? [] : stated,
    // A node without prefixes gets all that it needs, or none.
    choose: has.length === 0 && unserved.length > 0 ? [] : missing.filter(isServed),
    errors:
      has.length === 0 && wanted.length === 0
        ? [ciliumSentence({ node, families: FAMILIES }, "No pool of prefixes serves the node.")]
        : unserved.map((family) =>
            ciliumSentence({ node, families: [family] }, "No pool of prefixes serves the node."),
          ),
  };
}

function mismatch(node: string, stated: Cidr, held: readonly HeldPrefix[]): string {
  const { family } = stated;
  const has = held.filter(({ cidr }) => cidr.family === family).map(({ cidr }) => formatCidr(cidr));
  return ciliumSentence(
    { node, families: [family] },
    `The CiliumNode shows ${formatCidr(stated)}, but the node has ${has.join(" and ")}. Write that into spec.ipam.podCIDRs, or release it first.`,
  );
}
