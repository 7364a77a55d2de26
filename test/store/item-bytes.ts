import type { Item, Value } from "../../src/table/item.ts";

/** The sizes of values that items share, so that each is measured once. */
const known = new WeakMap<object, number>();

/**
 * Returns the size of an item as DynamoDB counts it for units: names, and values by type
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html).
 */
export function itemBytes(item: Item): number {
  const remembered = known.get(item);
  if (remembered !== undefined) return remembered;
  let bytes = 0;
  for (const [name, value] of Object.entries(item))
    bytes += Buffer.byteLength(name) + valueBytes(value);
  known.set(item, bytes);
  return bytes;
}

/** The bytes of a map or a list, besides one byte for each entry. */
const NESTED_BYTES = 3;

function valueBytes(value: Value): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value === "number") return numberBytes(value);
  if (typeof value === "boolean") return 1;
  if (value instanceof Uint8Array) return value.byteLength;
  const remembered = known.get(value);
  if (remembered !== undefined) return remembered;
  const bytes = nestedBytes(value);
  known.set(value, bytes);
  return bytes;
}

function nestedBytes(value: Exclude<Value, string | number | boolean | Uint8Array>): number {
  let bytes = 0;
  if (value instanceof Set) {
    for (const member of value) bytes += valueBytes(member);
    return bytes;
  }
  if (Array.isArray(value)) {
    for (const each of value as readonly Value[]) bytes += 1 + valueBytes(each);
    return NESTED_BYTES + bytes;
  }
  for (const [name, each] of Object.entries(value as { readonly [name: string]: Value }))
    bytes += 1 + Buffer.byteLength(name) + valueBytes(each);
  return NESTED_BYTES + bytes;
}

/** Returns the bytes of a number: one, and one for each two significant digits. */
const numberBytes = (value: number): number =>
  1 + Math.ceil(String(Math.abs(value)).replace(/^0\.|\.|0+$/g, "").length / 2);
