import { expect, it } from "vitest";
import { inParallel } from "../../src/allocator/parallel.ts";

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
