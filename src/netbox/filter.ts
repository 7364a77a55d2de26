import { repeatedParameter } from "../api/http/parameters.ts";
import { invalid } from "../api/schema/problem.ts";
import { cut, shortened } from "../api/schema/schema.ts";
import { slugOf } from "./ids.ts";

/*
 * The filters of NetBox. A value is a value: commas belong to it. Values of a repeated filter are alternatives, and tags are met all. A
 * lookup behind two underscores says how a filter compares. A filter that cannot be read is an error, never an empty list.
 */

/** The values of each parameter, in the order of the request. */
export type QueryValues = ReadonlyMap<string, readonly string[]>;

/** A field of the objects of a list, by which a query can filter them. */
export type FilterField<Item> =
  | {
      readonly kind: "text";
      of(item: Item): string;
      /** The place of the object among others, where its text does not tell it. */
      placeOf?(item: Item): bigint;
      /** True for a slug, which a value can name in capitals too. */
      readonly isSlug?: true;
    }
  | { readonly kind: "number"; of(item: Item): number | undefined }
  | { readonly kind: "time"; of(item: Item): string | null | undefined }
  | { readonly kind: "flag"; of(item: Item): boolean }
  | { readonly kind: "slugs"; of(item: Item): readonly string[] };

export type FilterFields<Item> = Readonly<Record<string, FilterField<Item>>>;

/** Returns the values of each parameter of a query string. */
export function queryOf(text: string): QueryValues {
  const query = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return query;
}

/** Returns the value of a parameter that takes one only. */
export function onlyIn(query: QueryValues, name: string): string | undefined {
  const [value, ...more] = query.get(name) ?? [];
  if (more.length === 0) return value;
  throw invalid(repeatedParameter(name));
}

/** Returns true for the name of a filter on one of the fields, with or without a lookup. */
export const isFilterOn = <Item>(fields: FilterFields<Item>, name: string): boolean => {
  const [field = "", lookup = "", ...rest] = name.split("__");
  const kind = Object.hasOwn(fields, field) ? fields[field]?.kind : undefined;
  return kind !== undefined && rest.length === 0 && LOOKUPS[kind].includes(lookup);
};

/** Returns the names of all filters on some fields. */
export const fieldNames = (fields: FilterFields<never>): readonly string[] =>
  Object.entries(fields).flatMap(([name, { kind }]) =>
    LOOKUPS[kind].map((lookup) => (lookup === "" ? name : `${name}__${lookup}`)),
  );

const ORDER = ["", "n", "gt", "gte", "lt", "lte"];

const LOOKUPS: Readonly<Record<FilterField<unknown>["kind"], readonly string[]>> = {
  text: ["", "n", "ic", "nic", "isw", "nisw", "iew", "niew", "ie", "nie", "empty"],
  number: ORDER,
  time: ORDER,
  flag: [""],
  slugs: ["", "n"],
};

/** Returns a function that tells whether an object passes all filters of a query on these fields. */
export function matching<Item>(
  query: QueryValues,
  fields: FilterFields<Item>,
): (item: Item) => boolean {
  const tests = [...query]
    .filter(([name]) => isFilterOn(fields, name))
    .map(([name, values]) => {
      const [field = "", lookup = ""] = name.split("__");
      return testOf(`?${name}`, fields[field] as FilterField<Item>, lookup, values);
    });
  return (item) => tests.every((test) => test(item));
}

function testOf<Item>(
  name: string,
  field: FilterField<Item>,
  lookup: string,
  values: readonly string[],
): (item: Item) => boolean {
  switch (field.kind) {
    case "text": {
      const isWhole = lookup === "" || lookup === "n";
      const wanted = field.isSlug && isWhole ? values.map(slugNamed) : values;
      return textTest(name, field.of, lookup, wanted);
    }
    case "number": {
      const wanted = values.map((value) => numberOf(name, value));
      return (item) => isInOrder(field.of(item), lookup, wanted);
    }
    case "time": {
      const wanted = values.map((value) => timeOf(name, value));
      return (item) => isInOrder(Date.parse(field.of(item) ?? ""), lookup, wanted);
    }
    case "flag": {
      const wanted = values.map((value) => flagOf(name, value));
      return (item) => wanted.includes(field.of(item));
    }
    case "slugs": {
      const wanted = values.map((value) => slugIn(name, value));
      return lookup === "n"
        ? (item) => !wanted.some((slug) => field.of(item).includes(slug))
        : (item) => wanted.every((slug) => field.of(item).includes(slug));
    }
  }
}

const COMPARE: Readonly<Record<string, (text: string, value: string) => boolean>> = {
  "": (text, value) => text === value,
  ic: (text, value) => lower(text).includes(lower(value)),
  isw: (text, value) => lower(text).startsWith(lower(value)),
  iew: (text, value) => lower(text).endsWith(lower(value)),
  ie: (text, value) => lower(text) === lower(value),
};

const lower = (text: string): string => text.toLowerCase();

function textTest<Item>(
  name: string,
  of: (item: Item) => string,
  lookup: string,
  values: readonly string[],
): (item: Item) => boolean {
  if (lookup === "empty") {
    const wanted = values.map((value) => flagOf(name, value));
    return (item) => wanted.includes(of(item) === "");
  }
  const isNot = lookup.startsWith("n");
  const compare = COMPARE[isNot ? lookup.slice(1) : lookup] as (a: string, b: string) => boolean;
  return (item) => values.some((value) => compare(of(item), value)) !== isNot;
}

function isInOrder(found: number | undefined, lookup: string, wanted: readonly number[]): boolean {
  const value = found ?? Number.NaN;
  switch (lookup) {
    case "n":
      return !wanted.includes(value);
    case "gt":
      return wanted.some((bound) => value > bound);
    case "gte":
      return wanted.some((bound) => value >= bound);
    case "lt":
      return wanted.some((bound) => value < bound);
    case "lte":
      return wanted.some((bound) => value <= bound);
    default:
      return wanted.includes(value);
  }
}

function numberOf(field: string, text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw invalid({ field, value: shortened(text), problem: "must be a whole number" });
}

function timeOf(field: string, text: string): number {
  const isTime = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(
    text,
  );
  const isZoned = /(Z|[+-]\d\d:?\d\d)$/.test(text.slice(10));
  const at = isTime ? Date.parse(text.length > 10 && !isZoned ? `${text}Z` : text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  const problem = "must be a date or a time, such as 2026-01-31 or 2026-01-31T12:00:00Z";
  throw invalid({ field, value: shortened(text), problem });
}

function flagOf(field: string, text: string): boolean {
  const word = lower(text);
  if (word === "true" || word === "false") return word === "true";
  throw invalid({ field, value: shortened(text), problem: "must be true or false" });
}

function slugIn(field: string, text: string): string {
  if (!text.includes(",")) return slugNamed(text);
  const problem = "must be one slug, and slugs have no commas: repeat the filter for each tag";
  throw invalid({ field, value: shortened(text), problem });
}

/** Returns the slug that a value names. One without a letter or a digit names none, and nothing has it. */
const slugNamed = (value: string): string => slugOf(value) || value;

/** Returns objects in the order that `ordering` names: fields with commas between them, each with `-` from the highest. */
export function ordered<Item>(
  query: QueryValues,
  fields: FilterFields<Item>,
  items: readonly Item[],
): readonly Item[] {
  const text = onlyIn(query, "ordering");
  if (text === undefined) return items;
  const keys = text.split(",").map((each) => {
    const name = each.replace(/^-/, "");
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field && field.kind !== "slugs") {
      const placeOf =
        (field.kind === "text" && field.placeOf) || ((item: Item) => field.of(item) ?? "");
      return { placeOf, sign: each === name ? 1 : -1 };
    }
    const known = Object.keys(fields).filter((key) => fields[key]?.kind !== "slugs");
    const problem = `must name fields of the list: ${known.join(", ")}`;
    throw invalid({ field: "?ordering", value: cut(each), problem });
  });
  return items.toSorted((a, b) => {
    for (const { placeOf, sign } of keys) {
      const [one, two] = [placeOf(a), placeOf(b)];
      if (one !== two) return one < two ? -sign : sign;
    }
    return 0;
  });
}
