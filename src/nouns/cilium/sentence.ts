import type { Family } from "../../net/address.ts";

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
