import { isDeepStrictEqual } from "node:util";
import type { Item, Key } from "./item.ts";
import { type ItemChange, padded } from "./item-change.ts";

const NS_PER_MS = 1_000_000n;

/** The first number of all: less than that of any change. */
export const NO_SEQUENCE = padded(0n);

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

  /**
   * Returns the change from one item to another under a key. Returns nothing if they are equal,
   * because DynamoDB records no such write either
   * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html).
   */
  change(key: Key, before: Item | undefined, after: Item | undefined): ItemChange | undefined {
    if (isDeepStrictEqual(before, after)) return undefined;
    const atMs = this.#now();
    const time = BigInt(atMs) * NS_PER_MS;
    this.#last = time > this.#last ? time : this.#last + 1n;
    return {
      key: { pk: key.pk, sk: key.sk },
      ...(before && { before }),
      ...(after && { after }),
      sequence: padded(this.#last),
      atMs,
    };
  }
}
