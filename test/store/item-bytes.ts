import type { Value } from "../../src/store/table.ts";

/**
 * The size of an item as DynamoDB counts it: names and texts in UTF-8, three bytes for a list or a map and one for each of its members.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(value: Value): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value === "number") return Math.ceil(String(Math.abs(value)).length / 2) + 1;
  if (typeof value === "boolean") return 1;
  if (value instanceof Uint8Array) return value.byteLength;
  if (value instanceof Set) return [...value].reduce((sum: number, one) => sum + itemBytes(one), 0);
  if (Array.isArray(value)) return value.reduce((sum, one) => sum + 1 + itemBytes(one), 3);
  return Object.entries(value).reduce(
    (sum, [name, one]) => sum + 1 + Buffer.byteLength(name) + itemBytes(one),
    3,
  );
}
