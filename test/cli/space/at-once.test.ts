import { expect, it } from "vitest";
import { atOnce } from "../../../src/cli/space/at-once.ts";

const items = Array.from({ length: 20 }, (_, i) => i);

it("work is done some at once, and answered in order", async () => {
  let under = 0;
  let most = 0;
  const results = await atOnce(items, 3, async (item) => {
    most = Math.max(most, ++under);
    await Promise.resolve();
    under--;
    return item * 2;
  });
  expect(results).toEqual(items.map((item) => item * 2));
  expect(most).toBe(3);
});

it("after an error nothing new is begun, and what was under way has ended", async () => {
  const ended: number[] = [];
  const work = atOnce(items, 3, async (item) => {
    await Promise.resolve();
    ended.push(item);
    if (item === 1) throw new Error("no more");
  });
  await expect(work).rejects.toThrow("no more");
  expect(ended.length).toBeLessThan(7);
});
