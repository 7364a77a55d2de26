import { assertTexts, assertTimes } from "../../base/assertions.ts";
import { handleHash, shardOf } from "../../base/hash.ts";
import { SHARDS } from "../../base/limits.ts";
import type { AttributeIndex } from "../../nouns/settings/settings.ts";
import type { Allocation } from "./allocation.ts";
import type { AllocationPlace } from "./allocation-place.ts";
import { INDEX_SETTLE_MS } from "./limits.ts";
import { hasWalked, type ShardWalk } from "./sweep.ts";

/** An index of one space. */
export interface SpaceIndex extends AttributeIndex {
  readonly space: string;
}

/** An entry of an index: an allocation that may have this value of the attribute. The allocation decides. */
export interface IndexEntry {
  readonly space: string;
  readonly attribute: string;
  /** Values whose hashes collide share a partition. */
  readonly valueHash: string;
  readonly place: AllocationPlace;
  readonly revision: string;
  readonly atMs: number;
}

/** The value whose entries one partition of an index has. */
export type IndexedValue = Pick<IndexEntry, "space" | "attribute" | "valueHash">;

type Attributes = Allocation["attributes"];

/** The hash of a value, as long as that of a handle. */
export const hashOfValue = (value: string): string => handleHash(value);

/** Returns the shard of an entry. The handle decides it, so that no value has one partition alone. */
export const shardOfEntry = ({ handleHash: hash }: AllocationPlace): number =>
  shardOf(BigInt(`0x${hash}`));

/** Returns the names of the indexes that have an entry for these attributes. */
export const indexedIn = (
  indexes: readonly AttributeIndex[],
  attributes: Attributes,
): readonly string[] =>
  indexes.flatMap(({ attribute }) => (attributes[attribute] === undefined ? [] : [attribute]));

/** Returns the entries that an allocation lists. */
export const entriesOf = ({
  place,
  attributes,
  indexed,
  atMs,
}: Pick<Allocation, "place" | "attributes" | "indexed" | "atMs">): readonly IndexEntry[] =>
  (indexed?.attributes ?? []).flatMap((attribute) => {
    const value = attributes[attribute];
    if (value === undefined || !indexed) return [];
    const of = { space: place.space, attribute, valueHash: hashOfValue(value) };
    return [{ ...of, place, revision: indexed.revision, atMs }];
  });

/** Returns the name of an entry among all of a table. */
export const nameOfEntry = ({ space, attribute, valueHash, place }: IndexEntry): string =>
  JSON.stringify([space, attribute, valueHash, place.handleHash, place.id, place.keyed]);

/**
 * Returns true if an index has an entry for every address that has its attribute (I22).
 * A walk of every shard has begun after the last request that may have left its entries out.
 */
export const isIndexComplete = (
  { space, sinceMs }: Omit<SpaceIndex, "attribute">,
  walks: readonly ShardWalk[],
): boolean =>
  sinceMs !== undefined &&
  walks.length === SHARDS &&
  walks.every(({ indexedFromMs: fromMs, indexedBut: but }) =>
    hasWalked({ fromMs, but }, space, sinceMs + INDEX_SETTLE_MS),
  );

/** Checks that an entry has its revision and its names. @throws {Error} */
export function assertIndexEntry({
  attribute,
  valueHash,
  place,
  revision,
  atMs,
}: IndexEntry): void {
  const { space, handleHash: hash, id } = place;
  assertTexts({ space, attribute, valueHash, handleHash: hash, id, revision });
  assertTimes(atMs);
}
