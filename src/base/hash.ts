import { SHARDS } from "./limits.ts";

const OFFSET_BASIS_HIGH = 0xcbf29ce4;
const OFFSET_BASIS_LOW = 0x84222325;
/** The prime is 2^40 + 0x1b3. */
const PRIME_LOW = 0x1b3;
const PRIME_SHIFT = 40 - 32;

/**
 * Returns the FNV-1a hash, 64 bit, of the UTF-8 bytes of a text (draft-eastlake-fnv). Two halves of 32 bits hold the hash,
 * because small integers cost a fraction of a bigint.
 */
export function fnv1a64(text: string): bigint {
  const bytes = Buffer.from(text, "utf8");
  let high = OFFSET_BASIS_HIGH | 0;
  let low = OFFSET_BASIS_LOW | 0;
  for (let i = 0; i < bytes.length; i++) {
    low ^= bytes[i] as number;
    const lowest = (low & 0xffff) * PRIME_LOW;
    const lower = (low >>> 16) * PRIME_LOW + (lowest >>> 16);
    high = (Math.imul(high, PRIME_LOW) + (lower >>> 16) + (low << PRIME_SHIFT)) | 0;
    low = (lower << 16) | (lowest & 0xffff);
  }
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

/** Returns the 8-byte hash of a handle as 16 hex digits, for keys and for the tags of taken slots. */
export function handleHash(handle: string): string {
  return fnv1a64(handle).toString(16).padStart(16, "0");
}

/** Every shard, by its number. */
export const EVERY_SHARD: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/** Returns the shard of a 64-bit hash. */
export const shardOf = (hash: bigint): number => Number(hash % BigInt(SHARDS));

/** Returns the shard of a space, by the hash of its name. */
export const shardOfSpace = (space: string): number => shardOf(fnv1a64(space));
