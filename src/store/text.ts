import { type Cidr, parseCidr } from "../domain/cidr.ts";
import type { PoolSelector } from "../domain/pool.ts";
import { parseSelector } from "../domain/selector-parser.ts";
import type { Value } from "./item.ts";

/**
 * Reads a CIDR that Plat wrote. @throws {Error} if it is unreadable, because the item is then
 * corrupt
 */
export function cidrText(value: Value | undefined): Cidr {
  const cidr = parseCidr(String(value));
  if (!cidr.ok) throw new Error(`"${value}" ${cidr.problem}`);
  return cidr.value;
}

/**
 * Reads a selector that Plat wrote. The result is kept for all requests that the selector judges.
 */
export function selectorText(value: Value): PoolSelector {
  const text = String(value);
  const selector = parseSelector(text);
  if (!selector.ok) throw new Error(`"${text}" ${selector.problem}`);
  return { text, selector: selector.value };
}
