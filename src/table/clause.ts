import type { AttributePath, Item, Value } from "./item.ts";

/**
 * One condition of a conditional write, under its name in docs/protocol.md. AND joins the clauses
 * of a write. `dynamodb-table.ts` renders each for DynamoDB, and `isMet` evaluates it in memory.
 * The contract suite proves that both agree.
 */
export interface Clause {
  readonly name: string;
  readonly path: AttributePath;
  readonly test:
    | { readonly kind: "absent" }
    | { readonly kind: "present" }
    | { readonly kind: "equals"; readonly value: Value }
    /** There is no item, or the item has this value. */
    | { readonly kind: "newOrEquals"; readonly value: Value }
    | { readonly kind: "size"; readonly size: number }
    | { readonly kind: "atMost"; readonly max: number };
}

export const absent = (name: string, ...path: AttributePath): Clause => ({
  name,
  path,
  test: { kind: "absent" },
});

export const present = (name: string, ...path: AttributePath): Clause => ({
  name,
  path,
  test: { kind: "present" },
});

/**
 * Returns the clause that the item has this value.
 *
 * @throws {Error} if the value is missing or empty, because such a condition would compare nothing
 */
export function equals(name: string, value: Value, ...path: AttributePath): Clause {
  if (value === undefined || value === "") throw new Error(`${name} compares with nothing`);
  return { name, path, test: { kind: "equals", value } };
}

/** Returns the clause that there is no item, or that it has this value. */
export const newOrEquals = (name: string, value: Value, ...path: AttributePath): Clause => ({
  name,
  path,
  test: { kind: "newOrEquals", value },
});

/** Returns the clause that a map or a set has this number of entries. */
export const sizeIs = (name: string, size: number, ...path: AttributePath): Clause => ({
  name,
  path,
  test: { kind: "size", size },
});

/** Returns the clause that a number is there, and is no larger than a maximum. */
export const atMost = (name: string, max: number, ...path: AttributePath): Clause => ({
  name,
  path,
  test: { kind: "atMost", max },
});

export function isMet({ path, test }: Clause, item: Item | undefined): boolean {
  const value = valueAt(item, path);
  switch (test.kind) {
    case "absent":
      return value === undefined;
    case "present":
      return value !== undefined;
    case "equals":
      return value !== undefined && sameValue(value, test.value);
    case "newOrEquals":
      return item === undefined || (value !== undefined && sameValue(value, test.value));
    case "size":
      return value !== undefined && sizeOf(value) === test.size;
    case "atMost":
      return typeof value === "number" && value <= test.max;
    default:
      return test satisfies never;
  }
}

export function valueAt(item: Item | undefined, path: AttributePath): Value | undefined {
  let at: Value | undefined = item;
  for (const name of path) {
    if (at === undefined || !isMap(at)) return undefined;
    at = at[name];
  }
  return at;
}

export function isMap(value: Value): value is { readonly [name: string]: Value } {
  return (
    typeof value === "object" &&
    !Array.isArray(value) &&
    !(value instanceof Set) &&
    !(value instanceof Uint8Array)
  );
}

/** Compares two scalars. Clauses compare only ids, states and tags. */
export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0;
}

function sizeOf(value: Value): number {
  if (value instanceof Set) return value.size;
  return isMap(value) ? Object.keys(value).length : Number.NaN;
}
