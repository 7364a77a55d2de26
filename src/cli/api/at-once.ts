import { inParallel } from "../../allocator/core/parallel.ts";

/**
 * Does the work for every item, some at once, and answers in the items' order. After an error nothing new is begun, and it is
 * thrown when what was under way has ended: whoever would fail a thousand times is told once.
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
  // Where nothing has failed each has its one result.
  return done.flat();
}
