import { type Cidr, parseCidr } from "../domain/cidr.ts";
import type { PoolSelector } from "../domain/pool.ts";
import { parseSelector } from "../domain/selector-parser.ts";
import type { Value } from "./item.ts";

/** A CIDR that this product wrote; what cannot be read is a broken item. */
export function cidrText(value: Value | undefined): Cidr {
  const cidr = parseCidr(String(value));
  if (!cidr.ok) throw new Error(`"${value}" ${cidr.problem}`);
  return cidr.value;
}

/** A selector that this product wrote, read once for all requests that it judges. */
export function selectorText(value: Value): PoolSelector {
  const text = String(value);
  const selector = parseSelector(text);
  if (!selector.ok) throw new Error(`"${text}" ${selector.problem}`);
  return { text, selector: selector.value };
}
