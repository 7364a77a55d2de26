import type { Contents } from "../../src/invariants/contents.ts";
import { contentsOf } from "../../src/store/contents.ts";
import type { Item } from "../../src/table/item.ts";

type Kind = keyof Contents;
const KINDS = Object.keys(contentsOf([])) as readonly Kind[];

/**
 * Returns a reader that reads items as the store does, each item once. Items are replaced, never
 * altered, and a run reads them after every step.
 */
export function readingOnce(): (items: readonly Item[]) => Contents {
  const known = new WeakMap<Item, readonly [Kind, readonly unknown[]][]>();
  return (items) => {
    const all = Object.fromEntries(KINDS.map((kind) => [kind, [] as unknown[]]));
    for (const item of items) {
      const kinds = known.get(item) ?? kindsIn(item);
      known.set(item, kinds);
      for (const [kind, found] of kinds) all[kind]?.push(...found);
    }
    return all as unknown as Contents;
  };
}

function kindsIn(item: Item): readonly [Kind, readonly unknown[]][] {
  const kinds = Object.entries(contentsOf([item])) as [Kind, readonly unknown[]][];
  return kinds.filter(([, found]) => found.length > 0);
}
