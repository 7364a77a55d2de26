import { type Address, type Parsed, parseAddress } from "../net/address.ts";
import type { AddressSet } from "../net/address-set.ts";
import { type Cidr, type Interval, merged, parseCidr, parseInterval } from "../net/cidr.ts";
import { parseSelector } from "../net/selector-parser.ts";
import type { PoolSelector } from "../nouns/pool/pool.ts";
import { isMap } from "./clause.ts";
import type { Item, Value } from "./item.ts";

/**
 * Readers of attributes. They assert the type when an item is decoded: a missing attribute is a
 * corrupt item, not `undefined`.
 */

/** A map of an item. */
export type Attributes = Readonly<Record<string, Value>>;

export function textOf(item: Item | Attributes, name: string): string {
  const value = item[name];
  if (typeof value !== "string") throw missing(name, "text");
  return value;
}

/**
 * Reads an id, a token, a revision or an epoch. It must not be empty, because a condition may
 * compare it.
 */
export function idOf(item: Item | Attributes, name: string): string {
  const value = textOf(item, name);
  if (value === "") throw missing(name, "id");
  return value;
}

export function numberOf(item: Item | Attributes, name: string): number {
  const value = item[name];
  if (typeof value !== "number") throw missing(name, "number");
  return value;
}

export function flagOf(item: Item | Attributes, name: string): boolean {
  const value = item[name];
  if (typeof value !== "boolean") throw missing(name, "flag");
  return value;
}

/** Reads a field that is true wherever it is there. */
export function trueOf(item: Item | Attributes, name: string): true {
  if (item[name] !== true) throw missing(name, "mark");
  return true;
}

/** Reads a text that must be one of these. */
export function oneOf<T extends string>(
  item: Item | Attributes,
  name: string,
  known: readonly T[],
): T {
  const value = known.find((each) => each === item[name]);
  if (value === undefined) throw missing(name, `known ${name}`);
  return value;
}

export function mapOf(item: Item | Attributes, name: string): Attributes {
  const value = item[name];
  if (value === undefined || !isMap(value)) throw missing(name, "map");
  return value;
}

export function listOf(item: Item | Attributes, name: string): readonly Value[] {
  const value = item[name];
  if (!Array.isArray(value)) throw missing(name, "list");
  return value;
}

/** Reads a list of texts. */
export function textsOf(item: Item | Attributes, name: string): readonly string[] {
  const values = listOf(item, name);
  if (!values.every((value) => typeof value === "string")) throw missing(name, "list of texts");
  return values;
}

/**
 * Reads a set of texts. A set that lost its last member is absent from the item, and reads as
 * empty.
 */
export function setOf(item: Item | Attributes, name: string): ReadonlySet<string> {
  const value = item[name] ?? new Set<string>();
  if (!(value instanceof Set)) throw missing(name, "set");
  return value as ReadonlySet<string>;
}

const missing = (name: string, what: string): Error => new Error(`its ${name} is no ${what}`);

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
