import type { Context } from "./context.ts";
import { inParallel } from "./parallel.ts";

/**
 * Works on items in their order, some in parallel, and starts none after a given time. Started work is completed.
 *
 * @returns how many were started: the first ones
 */
export async function whileTime<Item>(
  context: Context,
  items: readonly Item[],
  { atOnce, untilMs }: { readonly atOnce: number; readonly untilMs: number },
  work: (item: Item) => Promise<unknown>,
): Promise<number> {
  let begun = 0;
  let isOver = false;
  await inParallel(items, atOnce, async (item) => {
    isOver ||= context.now() >= untilMs;
    if (isOver) return;
    begun++;
    await work(item);
  });
  return begun;
}
