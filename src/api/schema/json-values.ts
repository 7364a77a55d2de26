/**
 * Values of the language as JSON and back: maps, sets, big integers and bytes come as an object with one key that begins
 * with `$`. Whatever else has such a key gets another `$` before it, so that no text of a caller's can be taken for one.
 */

const TAGS = { map: "$map", set: "$set", bigint: "$bigint", bytes: "$bytes" } as const;

/** Converts a value to JSON. Absent values stay absent. */
export function toJson(value: unknown): unknown {
  if (typeof value === "bigint") return { [TAGS.bigint]: String(value) };
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Uint8Array) return { [TAGS.bytes]: Buffer.from(value).toString("base64") };
  if (value instanceof Set) return { [TAGS.set]: [...value].map(toJson) };
  if (value instanceof Map)
    return { [TAGS.map]: [...value].map(([key, entry]) => [toJson(key), toJson(entry)]) };
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key.startsWith("$") ? `$${key}` : key,
      toJson(entry),
    ]),
  );
}

/** Restores the values. Inverse of `toJson`. */
export function fromJson(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(fromJson);
  const entries = Object.entries(json);
  const [key, entry] = entries[0] ?? [];
  if (key === TAGS.bigint) return BigInt(entry as string);
  if (key === TAGS.bytes)
    return Uint8Array.from(atob(entry as string), (byte) => byte.charCodeAt(0));
  if (key === TAGS.set) return new Set((entry as unknown[]).map(fromJson));
  if (key === TAGS.map)
    return new Map((entry as [unknown, unknown][]).map(([k, v]) => [fromJson(k), fromJson(v)]));
  return Object.fromEntries(
    entries.map(([name, value]) => [name.startsWith("$$") ? name.slice(1) : name, fromJson(value)]),
  );
}
