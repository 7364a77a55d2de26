import { readCidr } from "../network/cidr.ts";

/** The content of a cell, by which rows are sorted. Texts are also searched by a filter; numbers are not. */
export type Value = string | number | undefined;

/** Rows are sorted by a column of this title, from the lowest value or the highest one on. */
export interface Order {
  readonly title: string;
  readonly isDescending: boolean;
}

/** A part of a column: what a table needs to find and sort rows. */
interface Sortable<Row> {
  readonly title: string;
  value?(row: Row): Value;
}

/** Reads an order as the address of a page has it: a title, or `-` and a title for the highest value first. */
export const orderIn = (text: string): Order | undefined =>
  text === "" ? undefined : { title: text.replace(/^-/, ""), isDescending: text.startsWith("-") };

/**
 * Returns the text of the order after a press on the title of a column. Counts begin with the highest, all else with
 * the lowest. The second press turns the order around, and the third one removes it.
 */
export function orderAfter(
  current: Order | undefined,
  { title, isCount = false }: { readonly title: string; readonly isCount?: boolean | undefined },
): string {
  if (current?.title !== title) return isCount ? `-${title}` : title;
  if (current.isDescending !== isCount) return "";
  return isCount ? title : `-${title}`;
}

/** Returns the rows in which some text has each word of a filter, in upper or lower case. */
export function matching<Row>(
  rows: readonly Row[],
  columns: readonly Sortable<Row>[],
  filter: string,
): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const texts = columns.flatMap(({ value }) => {
      const text = value?.(row);
      return typeof text === "string" ? [text.toLowerCase()] : [];
    });
    return words.every((word) => texts.some((text) => text.includes(word)));
  });
}

/**
 * Returns rows by the values of a column: addresses and CIDRs by their place, texts with their numbers by size. Rows
 * without a value are last, and equal ones stay as they were. An unknown column changes nothing.
 */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Sortable<Row>[],
  order: Order | undefined,
): readonly Row[] {
  const column = columns.find(({ title }) => title === order?.title);
  if (!order || !column?.value) return rows;
  const keyed = rows.map((row) => ({ row, key: keyOf(column.value?.(row)) }));
  const sign = order.isDescending ? -1 : 1;
  keyed.sort(({ key: a }, { key: b }) =>
    a.rank === NOTHING.rank || b.rank === NOTHING.rank ? a.rank - b.rank : sign * compare(a, b),
  );
  return keyed.map(({ row }) => row);
}

/** A value prepared for comparisons. Those of a lower rank come first. */
interface Key {
  readonly rank: number;
  readonly place: number | bigint;
  readonly length: number;
  readonly text: string;
}

const ZERO: Omit<Key, "rank"> = { place: 0, length: 0, text: "" };
const NOTHING: Key = { ...ZERO, rank: 4 };

function keyOf(value: Value): Key {
  if (value === undefined || value === "") return NOTHING;
  if (typeof value === "number") return { ...ZERO, rank: 0, place: value };
  const cidr = readCidr(value);
  return cidr
    ? { rank: cidr.bits === 32 ? 1 : 2, place: cidr.base, length: cidr.length, text: "" }
    : { ...ZERO, rank: 3, text: value };
}

const byText = new Intl.Collator("en", { numeric: true });

const compare = (a: Key, b: Key): number =>
  a.rank - b.rank ||
  (a.place < b.place ? -1 : a.place > b.place ? 1 : 0) ||
  a.length - b.length ||
  byText.compare(a.text, b.text);
