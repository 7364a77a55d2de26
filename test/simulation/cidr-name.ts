import { type Cidr, formatCidr } from "../../src/net/cidr.ts";

const names = new WeakMap<Cidr, string>();

/**
 * Returns the text of a CIDR, and makes it once. Blocks are replaced, never altered, and every
 * judge asks for the text after every step.
 */
export function cidrName(cidr: Cidr): string {
  const known = names.get(cidr);
  if (known !== undefined) return known;
  const name = formatCidr(cidr);
  names.set(cidr, name);
  return name;
}
