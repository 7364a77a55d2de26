import { type Cidr, formatCidr } from "../../src/domain/cidr.ts";

const names = new WeakMap<Cidr, string>();

/** The text of a CIDR, made once: blocks are replaced, never altered, and every judge asks for it after every step. */
export function cidrName(cidr: Cidr): string {
  const known = names.get(cidr);
  if (known !== undefined) return known;
  const name = formatCidr(cidr);
  names.set(cidr, name);
  return name;
}
