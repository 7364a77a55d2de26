import type { Store } from "../../src/kernel/core/store.ts";
import { makeStore } from "../../src/store/stack.ts";
import { changed } from "../../src/table/in-memory-table.ts";
import type { Item } from "../../src/table/item.ts";
import type { Table, Write } from "../../src/table/table.ts";

let written: Write | undefined;

const never = () => new Promise<never>(() => {});
/** A table that keeps the last write, and never answers a call. */
const drafting: Table = {
  get: never,
  query: never,
  scan: never,
  due: never,
  write: (write) => {
    written = write;
    return never();
  },
};
const store: Store = makeStore(drafting);

/**
 * Returns the item that a write of the store leaves. So a scene has the same items that the product
 * would write.
 */
export function drafted(act: (store: Store) => unknown, current?: Item): Item {
  written = undefined;
  act(store);
  const write = written as Write | undefined;
  const item = write && changed(write.key, current, write.change);
  if (!item) throw new Error("this leaves no item");
  return item;
}
