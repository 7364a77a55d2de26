import { fnv1a64 } from "./hash.ts";
import { SHARDS } from "./limits.ts";

/** Every shard, by its number. */
export const EVERY_SHARD: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/** Returns the shard of a 64-bit hash. */
export const shardOf = (hash: bigint): number => Number(hash % BigInt(SHARDS));

/** Returns the shard of a space, by the hash of its name. */
export const shardOfSpace = (space: string): number => shardOf(fnv1a64(space));
