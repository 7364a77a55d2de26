import { DeadlineError } from "../../domain/outcome.ts";

/**
 * Does the work for every item, some at once, and answers in the items' order. Where one fails the others are carried out
 * nevertheless, but where the time is up nothing more is begun. Nothing is left running when the first error is thrown: a
 * frozen function would break it off.
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

/** Awaits a few different things that go on side by side, as `inParallel` does: none is left running behind an error. */
export async function allOf<T extends readonly unknown[]>(
  ...under: { readonly [K in keyof T]: Promise<T[K]> | T[K] }
): Promise<T> {
  const settled = await Promise.allSettled(under);
  throwFirst(settled.flatMap((each) => (each.status === "rejected" ? [each.reason] : [])));
  return settled.map((each) => (each as PromiseFulfilledResult<unknown>).value) as unknown as T;
}

const isFinal = (error: unknown): boolean => error instanceof DeadlineError;

/** That the time is up goes before whatever else went wrong, so that nobody goes on after it. */
function throwFirst(errors: readonly unknown[]): void {
  if (errors.length > 0) throw errors.find(isFinal) ?? errors[0];
}
