import type { Family } from "../../net/address.ts";

/** The ways in which Cilium gives a node its addresses. The names are Cilium's (option `ipam`). */
export const CILIUM_MODES = ["cluster-pool", "kubernetes", "crd", "multi-pool"] as const;
export type CiliumMode = (typeof CILIUM_MODES)[number];

/** An address in `spec.ipam.pool` or `status.ipam.used`. */
export interface CiliumAddress {
  readonly owner?: string;
  readonly resource?: string;
}

/** The demand of a node for addresses of one of Cilium's pools. */
interface CiliumDemand {
  readonly pool: string;
  readonly needed?: { readonly "ipv4-addrs"?: number; readonly "ipv6-addrs"?: number };
}

/** `spec.ipam` of a CiliumNode (`cilium.io/v2`). Other fields come through as they are. */
export interface CiliumIpam {
  readonly podCIDRs?: readonly string[];
  readonly pool?: Readonly<Record<string, CiliumAddress>>;
  readonly "pre-allocate"?: number;
  readonly "min-allocate"?: number;
  readonly "max-allocate"?: number;
  readonly "max-above-watermark"?: number;
  readonly pools?: {
    readonly requested?: readonly CiliumDemand[];
    readonly allocated?: readonly { readonly pool: string; readonly cidrs?: readonly string[] }[];
  };
}

/** `status` of a CiliumNode. Other fields come through as they are. */
interface CiliumStatus {
  readonly ipam?: {
    readonly used?: Readonly<Record<string, CiliumAddress>>;
    readonly "release-ips"?: Readonly<Record<string, string>>;
    readonly "operator-status"?: { readonly error?: string };
  };
  readonly operator?: { readonly error?: string };
}

/** The fields of a CiliumNode that Plat reads. It stores them as they came. */
export interface CiliumObject {
  readonly ipam: CiliumIpam;
  readonly status: CiliumStatus;
}

/** The options of a PUT of a CiliumNode. */
export interface CiliumOptions {
  readonly mode: CiliumMode;
  /** The families that the node needs; absent: those that pools serve, and in `kubernetes` IPv4. */
  readonly families?: readonly Family[];
  /** The time after which an excess is released; absent: never. */
  readonly releaseAfterSeconds?: number;
  /** The time for which `used` must lack a withdrawn address before it is released. */
  readonly withdrawAfterSeconds: number;
}

/**
 * Returns the name of the pool of prefixes for one network of a pool of Cilium: `mars.10-10-0-0-16`. Cilium's pools have a number of
 * networks, and Plat's have one.
 *
 * @param cidr the network in its canonical text
 */
export const poolNameOf = (ciliumPool: string, cidr: string): string =>
  `${ciliumPool}.${cidr.replaceAll(/[./:]/g, "-")}`;

/**
 * Returns true if a pool of prefixes is one of Cilium's pool: it has the same name, or that name, a dot and a rest without one. So
 * `venus.blue.10-20-0-0-24` is one of `venus.blue`, and none of `venus`.
 */
export const isPoolOf = (ciliumPool: string, { name }: { readonly name: string }): boolean =>
  name === ciliumPool ||
  (name.startsWith(`${ciliumPool}.`) && !name.includes(".", ciliumPool.length + 1));

/**
 * Returns the sentence of a CiliumNode's status for what could not be granted: `Node n1, pool mars, IPv4: …`.
 *
 * @param of.pool the pool of Cilium, if one is meant
 * @param detail what is wrong, as a rejection says it
 */
export function ciliumSentence(
  of: { readonly node: string; readonly pool?: string; readonly families: readonly Family[] },
  detail: string,
): string {
  const families = of.families.map((family) => `IPv${family}`).join(" and ");
  const pool = of.pool === undefined ? "" : `pool ${of.pool}`;
  return `${[`Node ${of.node}`, pool, families].filter(Boolean).join(", ")}: ${detail}`;
}
