import { type Contents, together } from "../../src/domain/contents.ts";
import { contentsOf } from "../../src/store/contents.ts";
import type { Item } from "../../src/store/table.ts";

/** Reads items as the store does, each one once: items are replaced, never altered, and a run looks after every step. */
export function readingOnce(): (items: readonly Item[]) => Contents {
  const known = new WeakMap<Item, Contents>();
  return (items) => {
    const each = items.map((item) => {
      const contents = known.get(item) ?? contentsOf([item]);
      known.set(item, contents);
      return contents;
    });
    return together(each);
  };
}
