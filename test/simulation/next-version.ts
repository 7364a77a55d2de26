import type { Outcome } from "../../src/base/outcome.ts";
import type { Clause } from "../../src/table/clause.ts";
import type { Item } from "../../src/table/item.ts";
import { kindNameOf, kindOf } from "../../src/table/kinds.ts";
import type { Change, Table, Write } from "../../src/table/table.ts";

/** The attribute with the format of an item (`src/table/format.ts`). */
const FORMAT = "f";
/** The attribute that the next version adds to every item that it writes. This version does not know it. */
const ADDED = "next";

/** The differences of the next version from this one, beside the attribute that it adds to every item. */
export interface NextVersion {
  /** The kind of item whose format it raises. Neither version then reads such an item of the other. */
  readonly raised?: string;
  /** True if it takes what it cannot read for absent, which a version must never do. */
  readonly isBlind?: boolean;
}

/** Returns a table through which the code of this version acts as the next version would. */
export function nextVersionTable(table: Table, { raised, isBlind = false }: NextVersion): Table {
  const seen = (items: readonly Item[]): readonly Item[] => {
    const read = items.map((item) => swapped(item, raised));
    return isBlind ? read.filter((item) => !isOfThisVersion(item, raised)) : read;
  };
  const outcome = (result: Outcome<Item>): Outcome<Item> =>
    result.outcome === "unknown" || !result.item
      ? result
      : { ...result, item: swapped(result.item, raised) };
  return {
    get: async (key, options) => {
      const item = await table.get(key, options);
      return item && seen([item])[0];
    },
    query: async (pk, options) => seen(await table.query(pk, options)),
    scan: async (limit, options) => {
      const page = await table.scan(limit, options);
      return { ...page, items: seen(page.items) };
    },
    due: (shard, options) => table.due(shard, options),
    write: async (write) => outcome(await table.write(written(write, raised))),
  };
}

/** Returns true for an item of this version, as the next version sees it: its format is unknown there. */
const isOfThisVersion = (item: Item, raised: string | undefined): boolean =>
  kindNameOf(item) === raised && item[FORMAT] !== kindOf(item)?.format;

/** Returns an item whose format is the other one of two: that of this version, and the next one. */
function swapped(item: Item, raised: string | undefined): Item {
  const format = swappedFormat(item, item[FORMAT], raised);
  return format === item[FORMAT] ? item : ({ ...item, [FORMAT]: format } as Item);
}

function swappedFormat<Value>(key: Item | Write["key"], format: Value, raised: string | undefined) {
  if (raised === undefined || kindNameOf(key) !== raised) return format;
  const current = kindOf(key)?.format ?? 0;
  if (Number(format) === current) return (current + 1) as Value;
  return Number(format) === current + 1 ? (current as Value) : format;
}

function written({ when, change, ...write }: Write, raised: string | undefined): Write {
  const { key } = write;
  return {
    ...write,
    when: when.map((clause) => swappedClause(key, clause, raised)),
    change: changeOf(key, change, raised),
  };
}

function swappedClause(key: Write["key"], clause: Clause, raised: string | undefined): Clause {
  const { path, test } = clause;
  if (path[0] !== FORMAT || test.kind !== "newOrEquals") return clause;
  return { ...clause, test: { ...test, value: swappedFormat(key, test.value, raised) } };
}

function changeOf(key: Write["key"], change: Change, raised: string | undefined): Change {
  switch (change.kind) {
    case "put":
      return { kind: "put", item: { ...swapped(change.item, raised), [ADDED]: 1 } as Item };
    case "update": {
      const set = (change.set ?? []).map(([path, value]) =>
        path[0] === FORMAT
          ? ([path, swappedFormat(key, value, raised)] as const)
          : ([path, value] as const),
      );
      return { ...change, set: [...set, [[ADDED], 1]] };
    }
    case "delete":
      return change;
    default:
      return change satisfies never;
  }
}

/** Returns the items of both versions as this version writes them, so that a judge can read them all. */
export function asThisVersion(items: readonly Item[], raised: string | undefined): readonly Item[] {
  if (raised === undefined) return items;
  return items.map((item) => {
    const isNext = kindNameOf(item) === raised && item[FORMAT] !== kindOf(item)?.format;
    return isNext ? swapped(item, raised) : item;
  });
}
