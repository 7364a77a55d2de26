/**
 * Returns true if two values are equal: texts, numbers, booleans, or arrays and plain objects of them. An undefined
 * field counts as absent, and the order of an object's fields does not count.
 */
export function same(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const said = saidIn(one);
  const others = new Map(saidIn(other));
  return (
    said.length === others.size &&
    said.every(([name, value]) => others.has(name) && same(value, others.get(name)))
  );
}

const saidIn = (value: object) =>
  Object.entries(value).filter(([, said]: [string, unknown]) => said !== undefined);
