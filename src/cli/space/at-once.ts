import { inParallel } from "../../kernel/core/parallel.ts";

/**
 * Does the work for every item, some in parallel, and returns the results in the order of the items. After an error it
 * starts no further work, and throws the error when all started work has ended. So a repeated failure is reported once.
 */
export async function atOnce<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  let failed = false;
  const done = await inParallel(items, most, async (item) => {
    if (failed) return [];
    try {
      return [await work(item)];
    } catch (error) {
      failed = true;
      throw error;
    }
  });
  // Without a failure each item has exactly one result.
  return done.flat();
}
