/**
 * Does the work for every item, some at once, and answers in the items' order. After an error nothing new is begun, and it is
 * thrown when what was under way has ended: whoever would fail a thousand times is told once.
 */
export async function atOnce<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const errors: unknown[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) {
      if (errors.length > 0) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
  if (errors.length > 0) throw errors[0];
  return results;
}
