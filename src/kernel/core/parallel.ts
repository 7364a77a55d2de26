import { DeadlineError } from "../../base/outcome.ts";

/**
 * Does the work for every item, some in parallel, and returns the results in the order of the items. If one fails, the
 * others still run, but nothing starts after the deadline. Nothing is still running when it throws the first error,
 * because a frozen function would cut it off.
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
      if (errors.some(isFinal)) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  throwFirst(errors);
  return results;
}

/** Awaits a few different promises in parallel, as `inParallel` does: none is still running when it throws. */
export async function awaitAll<T extends readonly unknown[]>(
  ...under: { readonly [K in keyof T]: Promise<T[K]> | T[K] }
): Promise<T> {
  const settled = await Promise.allSettled(under);
  throwFirst(settled.flatMap((each) => (each.status === "rejected" ? [each.reason] : [])));
  return settled.map((each) => (each as PromiseFulfilledResult<unknown>).value) as unknown as T;
}

const isFinal = (error: unknown): boolean => error instanceof DeadlineError;

/** Throws the first error. A deadline error precedes all others, so that nothing continues after it. */
function throwFirst(errors: readonly unknown[]): void {
  if (errors.length > 0) throw errors.find(isFinal) ?? errors[0];
}
