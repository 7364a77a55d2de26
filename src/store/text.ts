import { type Address, parseAddress } from "../domain/address.ts";
import type { AddressSet } from "../domain/address-set.ts";
import { type Cidr, type Interval, merged, parseCidr, parseInterval } from "../domain/cidr.ts";
import type { Parsed } from "../domain/parsed.ts";
import type { PoolSelector } from "../domain/pool.ts";
import { parseSelector } from "../domain/selector-parser.ts";
import type { Value } from "./item.ts";

/** Each reads a text that Plat wrote. @throws {Error} if it is unreadable, because the item is then corrupt */
export const cidrText = (value: Value | undefined): Cidr => written(value, parseCidr);
export const addressText = (value: Value | undefined): Address => written(value, parseAddress);
export const intervalText = (value: Value): Interval => written(value, parseInterval);
export const setText = (values: readonly Value[]): AddressSet => merged(values.map(intervalText));

function written<T>(value: Value | undefined, parse: (text: string) => Parsed<T>): T {
  const read = parse(String(value));
  if (!read.ok) throw new Error(`"${value}" ${read.problem}`);
  return read.value;
}

/**
 * Reads a selector that Plat wrote. The result is kept for all requests that the selector judges.
 */
export function selectorText(value: Value | undefined): PoolSelector {
  const text = String(value);
  const selector = parseSelector(text);
  if (!selector.ok) throw new Error(`"${text}" ${selector.problem}`);
  return { text, selector: selector.value };
}
