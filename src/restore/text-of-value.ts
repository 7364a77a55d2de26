import type { Value } from "../table/item.ts";

/** Returns a text that two values share only if DynamoDB takes them for equal: the order of maps and sets does not count. */
export function textOfValue(value: Value): string {
  if (value instanceof Uint8Array) return `B${Buffer.from(value).toString("base64")}`;
  if (value instanceof Set) return `S${JSON.stringify([...value].map(textOfValue).sort())}`;
  if (Array.isArray(value)) return `L${JSON.stringify(value.map(textOfValue))}`;
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, one]) => [name, textOfValue(one)] as const);
  return `M${JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}
