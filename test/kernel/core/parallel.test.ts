import { expect, it } from "vitest";
import { DeadlineError } from "../../../src/base/outcome.ts";
import { awaitAll, inParallel } from "../../../src/kernel/core/parallel.ts";

it("answers in the order of the items, whichever is done first", async () => {
  const doubled = await inParallel([3, 1, 2], 2, async (n) => {
    for (let i = 0; i < n; i++) await Promise.resolve();
    return 2 * n;
  });
  expect(doubled).toEqual([6, 2, 4]);
});

it("works on no more items at once than it may", async () => {
  let working = 0;
  let most = 0;
  await inParallel(Array(20).fill(0), 4, async () => {
    most = Math.max(most, ++working);
    await Promise.resolve();
    working--;
  });
  expect(most).toBe(4);
});

it("carries out the others before it says that one failed", async () => {
  const done: number[] = [];
  const work = inParallel([0, 1, 2], 2, async (n) => {
    if (n === 0) throw new Error("the first failed");
    done.push(n);
  });
  await expect(work).rejects.toThrow("the first failed");
  expect(done).toEqual([1, 2]);
});

it("begins nothing more when the time is up, and says so whatever else went wrong", async () => {
  const begun: number[] = [];
  const finished: number[] = [];
  const work = inParallel([0, 1, 2, 3, 4], 3, async (n) => {
    begun.push(n);
    await Promise.resolve();
    if (n === 0) throw new Error("the first failed");
    if (n === 1) throw new DeadlineError("the time is up");
    await Promise.resolve();
    finished.push(n);
  });
  await expect(work).rejects.toBeInstanceOf(DeadlineError);
  expect(begun).not.toContain(4);
  expect(finished).toEqual(begun.filter((n) => n > 1));
});

it("leaves none of a few different things running behind an error", async () => {
  let finished = false;
  const slow = async () => {
    for (let i = 0; i < 5; i++) await Promise.resolve();
    finished = true;
  };
  const failing = async () => {
    throw new Error("the other failed");
  };
  await expect(awaitAll(slow(), failing())).rejects.toThrow("the other failed");
  expect(finished).toBe(true);
  expect(await awaitAll(Promise.resolve("a"), 1, undefined)).toEqual(["a", 1, undefined]);
});
