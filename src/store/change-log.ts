import { isDeepStrictEqual } from "node:util";
import { valueAt } from "./clause.ts";
import type { Item, Key, Path } from "./item.ts";
import { type ItemChange, padded } from "./item-change.ts";
import type { Change } from "./table.ts";

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
  const paths: readonly Path[] = [
    ...(change.set ?? []).map(([path]) => path),
    ...(change.remove ?? []),
    ...(change.add ?? []).map(([path]) => path),
    ...(change.drop ?? []).map(([path]) => path),
  ];
  return paths.every((path) => isDeepStrictEqual(valueAt(before, path), valueAt(after, path)));
}
