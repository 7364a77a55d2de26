import { expect, test } from "vitest";
import { VirtualClock } from "./virtual-clock.ts";

test("an hour passes at once", async () => {
  const clock = new VirtualClock(0);
  await clock.run(() => clock.sleep(3_600_000));
  expect(clock.nowMs).toBe(3_600_000);
});

test("thousands wait side by side, each for its own time", async () => {
  const clock = new VirtualClock(0);
  const woken: number[] = [];
  await clock.run(() =>
    Promise.all(
      Array.from({ length: 5_000 }, async (_, i) => {
        await clock.sleep(5_000 - i);
        woken.push(clock.nowMs);
      }),
    ),
  );
  expect(clock.nowMs).toBe(5_000);
  expect(woken).toEqual(Array.from({ length: 5_000 }, (_, i) => i + 1));
});

test("the clock stands while anybody can go on without it", async () => {
  const clock = new VirtualClock(0);
  const seen: number[] = [];
  await clock.run(async () => {
    const later = clock.sleep(10);
    for (let i = 0; i < 1_000; i++) await Promise.resolve();
    seen.push(clock.nowMs);
    await later;
    seen.push(clock.nowMs);
  });
  expect(seen).toEqual([0, 10]);
});

test("work that waits for nothing that will come is an error", async () => {
  const clock = new VirtualClock(0);
  await expect(clock.run(() => new Promise(() => {}))).rejects.toThrow("nothing is under way");
});

test("what the work throws comes out", async () => {
  const clock = new VirtualClock(0);
  const work = async () => {
    await clock.sleep(1);
    throw new Error("it broke");
  };
  await expect(clock.run(work)).rejects.toThrow("it broke");
});
