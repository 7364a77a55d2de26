import type { Item } from "./table.ts";

/** What can be read; the rest is kept, reported by the checker, and stops nothing. */
export function legible<T>(items: readonly Item[], from: (item: Item) => T): T[] {
  return items.flatMap((item) => {
    try {
      return [from(item)];
    } catch {
      return [];
    }
  });
}
