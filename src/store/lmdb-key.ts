import type { Key } from "./item.ts";

/** The longest key that LMDB takes with pages of 4 KB; names are bounded far below it. */
const KEY_BYTES_MAX = 1_978;

const NUL = 0x00;
/** Follows a NUL of a name, so that the NUL that ends the name differs from it. UTF-8 has no such byte. */
const NUL_OF_NAME = 0xff;
/** Above every byte that UTF-8 has. */
const ABOVE = Buffer.of(0xff);

/** The item's place: the partition key, ended by a NUL, then the sort key. Bytes order as DynamoDB orders sort keys. */
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

/** The next key there can be. */
export const justAfter = (key: Buffer): Buffer => Buffer.concat([key, Buffer.of(NUL)]);

/** An entry of the due index: by its shard, then by its time, then by the item. */
export const duePlace = (shard: string, dueAtMs: number, item: Key): Buffer =>
  place(named(shard), timed(dueAtMs), itemPlace(item));

/** Inverse of `duePlace`: when the entry is due, in milliseconds since the epoch. */
export const dueTime = (shard: string, entry: Uint8Array): number =>
  Buffer.from(entry).readDoubleBE(named(shard).length);

/** All entries of a shard that are due by then. */
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

/** A time is not negative, so that its bytes order as the number does. */
function timed(ms: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(ms);
  return bytes;
}
