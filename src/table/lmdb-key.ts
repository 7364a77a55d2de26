import type { Key } from "./item.ts";

/**
 * The longest key that LMDB takes with pages of 4 KB. The limits of names keep keys far below it.
 */
const KEY_BYTES_MAX = 1_978;

const NUL = 0x00;
/**
 * The byte after a NUL in a name, which tells it from the NUL that ends the name. UTF-8 has no such
 * byte.
 */
const NUL_OF_NAME = 0xff;
/** A byte above every byte of UTF-8. */
const ABOVE = Buffer.of(0xff);

/**
 * Returns the place of an item: the partition key, a NUL that ends it, then the sort key. The order
 * of the bytes is DynamoDB's order of sort keys.
 */
export const itemPlace = ({ pk, sk }: Key): Buffer =>
  pk.includes("\u0000")
    ? place(named(pk), Buffer.from(sk))
    : place(Buffer.from(`${pk}\u0000${sk}`));

/** Returns the start and the end of a partition, or of a prefix in it. */
export function partitionRange(
  pk: string,
  {
    prefix = "",
    before,
    after,
  }: { readonly prefix?: string; readonly before?: string; readonly after?: string },
): { readonly start: Buffer; readonly end: Buffer } {
  const partition = named(pk);
  const at = (sk: string) => place(partition, Buffer.from(sk));
  const starts = [at(prefix), ...(after === undefined ? [] : [justAfter(at(after))])];
  const ends = [
    Buffer.concat([partition, Buffer.from(prefix), ABOVE]),
    ...(before === undefined ? [] : [at(before)]),
  ];
  return {
    start: starts.reduce((a, b) => (Buffer.compare(a, b) < 0 ? b : a)),
    end: ends.reduce((a, b) => (Buffer.compare(a, b) < 0 ? a : b)),
  };
}

/** Returns the next possible key. */
export const justAfter = (key: Buffer): Buffer => Buffer.concat([key, Buffer.of(NUL)]);

/** Returns the place of an entry of the due index: its shard, then its time, then the item. */
export const duePlace = (shard: string, dueAtMs: number, item: Key): Buffer =>
  place(named(shard), timed(dueAtMs), itemPlace(item));

/**
 * Returns the time at which an entry is due, in milliseconds since the epoch. Inverse of
 * `duePlace`.
 */
export const dueTime = (shard: string, entry: Uint8Array): number =>
  Buffer.from(entry).readDoubleBE(named(shard).length);

/** Returns the range of all entries of a shard that are due by a time. */
export function dueRange(shard: string, untilMs: number) {
  const start = named(shard);
  return { start, end: Buffer.concat([start, timed(untilMs), ABOVE]) };
}

function place(...parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  const key = first && parts.length === 1 ? first : Buffer.concat(parts);
  if (key.length > KEY_BYTES_MAX)
    throw new Error(`a key has ${key.length} bytes and may have ${KEY_BYTES_MAX}`);
  return key;
}

function named(name: string): Buffer {
  const bytes = Buffer.from(name);
  if (!bytes.includes(NUL)) return Buffer.concat([bytes, Buffer.of(NUL)]);
  return Buffer.from(
    [...bytes].flatMap((byte) => (byte === NUL ? [NUL, NUL_OF_NAME] : [byte])).concat(NUL),
  );
}

/** Returns the bytes of a time. A time is not negative, so its bytes order as the number does. */
function timed(ms: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(ms);
  return bytes;
}
