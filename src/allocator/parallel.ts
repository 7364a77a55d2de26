/**
 * Does the work for every item, some at once, and answers in the items' order. Where one fails the others are carried out
 * nevertheless, and nothing is left running when the first error is thrown: a frozen function would break it off.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const errors: unknown[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) {
      try {
        results[index] = await work(item);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (errors.length > 0) throw errors[0];
  return results;
}
