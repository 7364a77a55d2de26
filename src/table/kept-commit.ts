import { type ChangeNumber, changeOf, type ItemChange } from "./change-log.ts";
import { changed } from "./in-memory-table.ts";
import type { Item, Key } from "./item.ts";
import type { Change } from "./table.ts";

/** A write of a commit, with the number of its change. */
export interface NumberedWrite extends ChangeNumber {
  readonly key: Key;
  readonly change: Change;
}

/**
 * The writes of one commit, as a file keeps them for a publisher. The items that they made follow
 * from those before, so the file has each item only once more, however often the commit wrote it.
 */
export interface KeptCommit {
  /** Each key that was written, and the item before the commit as the bytes that the file had. */
  readonly items: readonly { readonly key: Key; readonly before?: Uint8Array }[];
  /** The writes in their order. Each names its key by the place in `items`. */
  readonly writes: readonly (ChangeNumber & { readonly at: number; readonly change: Change })[];
}

/**
 * Returns the writes of a commit as the file keeps them.
 *
 * @param bytesOf returns the bytes of the item at a key before the commit; nothing for no item
 */
export function keptCommit(
  numbered: readonly NumberedWrite[],
  bytesOf: (key: Key) => Uint8Array | undefined,
): KeptCommit {
  const places = new Map<string, number>();
  const items: KeptCommit["items"][number][] = [];
  const writes = numbered.map(({ key, change, sequence, atMs }) => {
    const { pk, sk } = key;
    const name = `${pk}\u0000${sk}`;
    let at = places.get(name);
    if (at === undefined) {
      const before = bytesOf(key);
      at = items.push({ key: { pk, sk }, ...(before && { before }) }) - 1;
      places.set(name, at);
    }
    return { at, change, sequence, atMs };
  });
  return { items, writes };
}

/** Returns the changes that kept writes made. Inverse of `keptCommit`. */
export function changesIn(
  { items, writes }: KeptCommit,
  itemIn: (bytes: Uint8Array) => Item,
): readonly ItemChange[] {
  const current = items.map(({ before }) => before && itemIn(before));
  return writes.flatMap(({ at, change, ...number }) => {
    const key = items[at]?.key;
    if (!key) return [];
    const before = current[at];
    const after = changed(key, before, change);
    current[at] = after;
    return changeOf(key, before, after, number);
  });
}
