import type { Item, Key } from "./item.ts";

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
