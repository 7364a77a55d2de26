import { fnv1a64 } from "../base/hash.ts";
import type { Outcome } from "../base/outcome.ts";
import type { InMemoryFeed } from "./change-log.ts";
import { isMap, isMet, valueAt } from "./clause.ts";
import { TABLE } from "./definition.ts";
import type { AttributePath, Item, Key, Value } from "./item.ts";
import type {
  Change,
  DueKey,
  DueOptions,
  ItemPage,
  QueryOptions,
  ScanOptions,
  Segment,
  Table,
  Write,
} from "./table.ts";

/**
 * A table in the memory of this process. The simulation runs on it, and it serves where there is no
 * database. It never fails and never loses a write. The contract suite proves that it behaves as
 * DynamoDB does.
 */
export class InMemoryTable implements Table {
  /** Partitions by `pk`, items by `sk`. Items are never altered, only replaced. */
  readonly partitions = new Map<string, Map<string, Item>>();
  readonly #feed: InMemoryFeed | undefined;

  /** @param feed gets every change of the table, for a publisher */
  constructor(feed?: InMemoryFeed) {
    this.#feed = feed;
  }

  async get({ pk, sk }: Key): Promise<Item | undefined> {
    return this.partitions.get(pk)?.get(sk);
  }

  async query(pk: string, options: QueryOptions = {}): Promise<readonly Item[]> {
    return queried([...(this.partitions.get(pk)?.values() ?? [])], options);
  }

  async scan(limit: number, { after, segment }: ScanOptions = {}): Promise<ItemPage> {
    const found: Item[] = [];
    const partitions = [...this.partitions]
      .filter(([pk]) => after === undefined || pk >= after.pk)
      .filter(([pk]) => segment === undefined || isInSegment(pk, segment))
      .sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [pk, partition] of partitions) {
      if (found.length > limit) break;
      const rest = [...partition.values()].filter(
        ({ sk }) => after === undefined || pk > after.pk || sk > after.sk,
      );
      found.push(...rest.sort((a, b) => (a.sk < b.sk ? -1 : 1)));
    }
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return found.length > limit && last ? { items, next: { pk: last.pk, sk: last.sk } } : { items };
  }

  async due(shard: string, { untilMs, limit, after }: DueOptions): Promise<readonly DueKey[]> {
    const { partitionKey, sortKey } = TABLE.dueIndex;
    const found: DueKey[] = [];
    for (const partition of this.partitions.values())
      for (const item of partition.values())
        if (item[partitionKey] === shard && Number(item[sortKey]) <= untilMs)
          found.push({ pk: item.pk, sk: item.sk, dueAtMs: Number(item[sortKey]) });
    return found
      .filter((key) => after === undefined || byTime(key, after) > 0)
      .sort(byTime)
      .slice(0, limit);
  }

  async write({ key, when, change }: Write): Promise<Outcome<Item>> {
    const old = this.partitions.get(key.pk)?.get(key.sk);
    if (!when.every((clause) => isMet(clause, old))) return { outcome: "lost", item: old };
    const item = changed(key, old, change);
    if (item) this.#partition(key.pk).set(key.sk, item);
    else this.partitions.get(key.pk)?.delete(key.sk);
    this.#feed?.add(key, old, item, change);
    return { outcome: "done", item: outcomeItem(key, old, item, change) };
  }

  items(): Item[] {
    const items: Item[] = [];
    for (const partition of this.partitions.values())
      for (const item of partition.values()) items.push(item);
    return items;
  }

  #partition(pk: string): Map<string, Item> {
    const partition = this.partitions.get(pk) ?? new Map<string, Item>();
    this.partitions.set(pk, partition);
    return partition;
  }
}

/** Returns the answer of a Query with these options over the items of a partition. */
export function queried(items: readonly Item[], options: QueryOptions): readonly Item[] {
  const { prefix = "", before, after, limit } = options;
  const found = items
    .filter(({ sk }) => sk.startsWith(prefix) && (before === undefined || byUtf8(sk, before) < 0))
    .filter(({ sk }) => after === undefined || byUtf8(sk, after) > 0)
    .sort((a, b) => byUtf8(a.sk, b.sk))
    .slice(0, limit);
  return asAsked(found, options);
}

/** Returns the requested attributes of the items that a Query found. */
export const asAsked = (items: readonly Item[], { only }: QueryOptions): readonly Item[] =>
  only ? items.map((item) => inPart(item, only)) : items;

function inPart(item: Item, only: readonly string[]): Item {
  const { pk, sk } = item;
  const named = Object.entries(item).filter(([name]) => only.includes(name));
  return { ...Object.fromEntries(named), pk, sk };
}

/** Returns the item that the outcome of a change has: after a deletion its key, or the item as it was. */
export const outcomeItem = (
  key: Key,
  old: Item | undefined,
  item: Item | undefined,
  change: Change,
): Item =>
  item ?? ((change.kind === "delete" && change.returnsOld && old) || { pk: key.pk, sk: key.sk });

/** Returns the item after a change of it; nothing after a deletion. */
export function changed(key: Key, old: Item | undefined, change: Change): Item | undefined {
  switch (change.kind) {
    case "put":
      return change.item;
    case "delete":
      return undefined;
    case "update": {
      let item: Item = old ?? { ...key };
      for (const [path, value] of change.set ?? []) item = withValue(item, path, value) as Item;
      for (const path of change.remove ?? []) item = withValue(item, path, undefined) as Item;
      for (const [path, added] of change.add ?? [])
        item = withValue(item, path, sum(valueAt(item, path), added)) as Item;
      for (const [path, members] of change.drop ?? [])
        item = withValue(item, path, without(setAt(item, path), members)) as Item;
      return item;
    }
    default:
      return change satisfies never;
  }
}

type Members = ReadonlySet<string> | ReadonlySet<number>;

function setAt(item: Item, path: AttributePath): Members {
  const value = valueAt(item, path);
  return value instanceof Set ? value : new Set<never>();
}

/** Returns a set with more members, or a sum. What is not there counts as an empty set, or as 0. */
function sum(to: Value | undefined, added: Members | number): Value {
  if (typeof added === "number") return (typeof to === "number" ? to : 0) + added;
  return new Set([...(to instanceof Set ? to : []), ...added]) as Members;
}

/**
 * Returns the members of a set without others; nothing if none is left, because DynamoDB removes an
 * empty set.
 */
function without(a: Members, b: Members): Members | undefined {
  const rest = new Set([...a].filter((member) => !(b as ReadonlySet<unknown>).has(member)));
  return rest.size > 0 ? (rest as Members) : undefined;
}

/** Returns the map with another value at the path. It copies every map on the way. */
function withValue(map: Value, [name, ...rest]: AttributePath, value: Value | undefined): Value {
  if (!isMap(map)) throw new Error(`the path to ${name} does not lead through a map`);
  const next =
    rest.length === 0 ? value : withValue(map[name] ?? missing(name), rest as never, value);
  if (next !== undefined) return { ...map, [name]: next };
  const { [name]: _, ...others } = map;
  return others;
}

function missing(name: string): never {
  throw new Error(`the path leads through ${name}, which is not there`);
}

/**
 * Orders entries by their time, and entries of one time by their keys. DynamoDB leaves the order
 * within one time open.
 */
const byTime = (a: DueKey, b: DueKey): number =>
  a.dueAtMs - b.dueAtMs || (place(a) === place(b) ? 0 : place(a) < place(b) ? -1 : 1);

const place = ({ pk, sk }: Key) => `${pk}\u0000${sk}`;

const SURROGATES_START = 0xd800;
const SURROGATES_END = 0xe000;

/**
 * Orders sort keys as DynamoDB does: by the bytes of their UTF-8
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.KeyConditionExpressions.html).
 * JavaScript compares UTF-16, where characters beyond U+FFFF come before those from U+E000 on.
 */
export function byUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  if (unit < SURROGATES_START) return unit;
  return unit < SURROGATES_END ? unit + SURROGATES_END : unit - (SURROGATES_END - SURROGATES_START);
}

/**
 * Returns true if a partition lies in a segment. As in DynamoDB, the whole partition key decides,
 * and nothing else.
 */
export const isInSegment = (pk: string, { index, of }: Segment): boolean =>
  fnv1a64(pk) % BigInt(of) === BigInt(index);
