import { EVERY_SHARD } from "../../../src/base/hash.ts";
import { hashOfValue } from "../../../src/kernel/values/index-entry.ts";
import { INDEX_SETTLE_MS } from "../../../src/kernel/values/limits.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import { SETTINGS_DEFAULT } from "../../../src/nouns/settings/settings.ts";
import { indexPk } from "../../../src/table/key.ts";
import { drafted } from "../drafts.ts";
import { EARLIER_MS, someId } from "../drawn.ts";
import type { LargeTable } from "../large-table.ts";
import { placeOf } from "./spaces.ts";

const ATTRIBUTE = "namespace";
/** The value that every address of the space has. */
export const VALUE = "shop";

/** Puts a complete index of the attribute of all addresses of a space beside them. */
export function putIndex(items: LargeTable, { space }: Pool, addresses: number): void {
  const index = { attribute: ATTRIBUTE, sinceMs: EARLIER_MS };
  const settings = { ...SETTINGS_DEFAULT, indexedAttributes: [ATTRIBUTE], indexes: [index] };
  items.put(drafted((store) => store.putSettings(space, settings, someId(), undefined)));
  const progress = { indexedFromMs: EARLIER_MS + INDEX_SETTLE_MS };
  for (const shard of EVERY_SHARD)
    items.put(drafted((store) => store.writeProgress(shard, progress)));
  const value = { space, attribute: ATTRIBUTE, valueHash: hashOfValue(VALUE) };
  const keys = EVERY_SHARD.map((shard) => indexPk(value, shard));
  const entryOf = (number: number) => ({
    ...value,
    place: placeOf(space, number),
    revision: "revision",
    atMs: EARLIER_MS,
  });
  items.addCrowd({
    count: keys.length,
    keyOf: (shard) => keys[shard] as string,
    numberOf: (pk) => (keys.includes(pk) ? keys.indexOf(pk) : undefined),
    itemsOf: (shard) =>
      Array.from({ length: Math.ceil((addresses - shard) / keys.length) }, (_, n) =>
        drafted((store) => store.putIndexEntry(entryOf(n * keys.length + shard), undefined)),
      ),
  });
}
