import { isDeepStrictEqual } from "node:util";
import { valueAt } from "./clause.ts";
import type { AttributePath, Item, Key } from "./item.ts";
import type { Change } from "./table.ts";

/** A change of one item. A table tells the changes of an item in the order in which it made them. */
export interface ItemChange {
  readonly key: Key;
  /** The item before; absent if the change created it. */
  readonly before?: Item;
  /** The item afterwards; absent if the change deleted it. */
  readonly after?: Item;
  /**
   * The number of the change, padded with zeros to 40 digits. Of two changes of an item the later
   * has the greater.
   */
  readonly sequence: string;
  readonly atMs: number;
}

/**
 * The digits of the longest number of a change in DynamoDB
 * (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_StreamRecord.html).
 */
const SEQUENCE_DIGITS = 40;

/** Returns the number of a change, padded, so that numbers order as their texts do. */
export const padded = (sequence: bigint | string): string =>
  String(sequence).padStart(SEQUENCE_DIGITS, "0");

const NS_PER_MS = 1_000_000n;

/** The first number of all: less than that of any change. */
export const NO_SEQUENCE = padded(0n);

/** The number of a change, and its time. */
export type ChangeNumber = Pick<ItemChange, "sequence" | "atMs">;

/**
 * Numbers the changes of a local table. A number is the time in nanoseconds, or the next one after
 * the last. So numbers grow over a restart and over a clock that steps back, and a new file does
 * not repeat the numbers of a lost one.
 */
export class ChangeLog {
  readonly #now: () => number;
  #last: bigint;

  /**
   * @param now the time in milliseconds since the epoch
   * @param last the number of the last change that is kept
   */
  constructor(now: () => number, last: string = NO_SEQUENCE) {
    this.#now = now;
    this.#last = BigInt(last);
  }

  /** Returns the number of the next change. */
  next(): ChangeNumber {
    const atMs = this.#now();
    const time = BigInt(atMs) * NS_PER_MS;
    this.#last = time > this.#last ? time : this.#last + 1n;
    return { sequence: padded(this.#last), atMs };
  }

  /**
   * Returns the change from one item to another under a key; nothing if they are equal.
   *
   * @param by the write that made it, if the caller has it: then less is compared
   */
  change(
    key: Key,
    before: Item | undefined,
    after: Item | undefined,
    by?: Change,
  ): ItemChange | undefined {
    const isSame = by ? leavesAsIs(by, before, after) : isDeepStrictEqual(before, after);
    return isSame ? undefined : changeOf(key, before, after, this.next());
  }
}

/** Returns the change from one item to another under a key. */
export const changeOf = (
  key: Key,
  before: Item | undefined,
  after: Item | undefined,
  { sequence, atMs }: ChangeNumber,
): ItemChange => ({
  key: { pk: key.pk, sk: key.sk },
  ...(before && { before }),
  ...(after && { after }),
  sequence,
  atMs,
});

/**
 * Returns true if a write left the item as it was. DynamoDB records no such write either
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html).
 */
export function leavesAsIs(
  change: Change,
  before: Item | undefined,
  after: Item | undefined,
): boolean {
  if (change.kind !== "update" || !before || !after) return isDeepStrictEqual(before, after);
  // An update alters nothing outside of its paths, and an item has many more values than those.
  const paths: readonly AttributePath[] = [
    ...(change.set ?? []).map(([path]) => path),
    ...(change.remove ?? []),
    ...(change.add ?? []).map(([path]) => path),
    ...(change.drop ?? []).map(([path]) => path),
  ];
  return paths.every((path) => isDeepStrictEqual(valueAt(before, path), valueAt(after, path)));
}

/** The changes of a local table that nobody has published yet. */
export interface ChangeFeed {
  /** Returns the first changes, in the order in which the table made them. */
  first(limit: number): readonly ItemChange[];
  /** Forgets the changes up to a number, which are published. */
  forget(upTo: string): Promise<void>;
}

/** The feed of a table in memory. The table adds each of its changes. */
export class InMemoryFeed implements ChangeFeed {
  readonly #log: ChangeLog;
  #changes: ItemChange[] = [];

  constructor(log: ChangeLog) {
    this.#log = log;
  }

  /** Adds the change that a write made. */
  add(key: Key, before: Item | undefined, after: Item | undefined, by: Change): void {
    const change = this.#log.change(key, before, after, by);
    if (change) this.#changes.push(change);
  }

  first(limit: number): readonly ItemChange[] {
    return this.#changes.slice(0, limit);
  }

  async forget(upTo: string): Promise<void> {
    const left = this.#changes.findIndex(({ sequence }) => sequence > upTo);
    this.#changes.splice(0, left < 0 ? this.#changes.length : left);
  }
}
