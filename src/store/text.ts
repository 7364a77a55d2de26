import { type Cidr, parseCidr } from "../domain/cidr.ts";
import type { Value } from "./table.ts";

/** A CIDR that this product wrote; what cannot be read is a broken item. */
export function cidrText(value: Value | undefined): Cidr {
  const cidr = parseCidr(String(value));
  if (!cidr.ok) throw new Error(`"${value}" ${cidr.problem}`);
  return cidr.value;
}
