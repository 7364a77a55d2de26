import { expect, it } from "vitest";
import { WorkQueue } from "../../src/controller/work-queue.ts";
import { knownTo } from "../signals.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { waitsOf } from "./waits.ts";

const all = () => true;
const WAITS = { ...waitsOf(new VirtualClock()), random: () => 1 };

it("a key that is added twice is taken once, at its earlier time", () => {
  const queue = new WorkQueue(WAITS);
  queue.add("a", 10);
  queue.add("a", 5);
  queue.add("b", 7);
  expect(queue.nextDueAtMs).toBe(5);
  expect(queue.take(4, 9, all)).toEqual([]);
  expect(queue.take(20, 9, all)).toEqual(["a", "b"]);
  expect(queue.take(20, 9, all)).toEqual([]);
  expect(queue.nextDueAtMs).toBe(Infinity);
});

it("takes at most so many keys, and only of a kind", () => {
  const queue = new WorkQueue(WAITS);
  for (const key of ["a1", "b1", "a2", "a3"]) queue.add(key, 0);
  const isA = (key: string) => key.startsWith("a");
  expect(queue.take(0, 2, isA)).toEqual(["a1", "a2"]);
  expect(queue.has(isA)).toBe(true);
  expect(queue.take(0, 2, isA)).toEqual(["a3"]);
  expect(queue.has(isA)).toBe(false);
  expect(queue.size).toBe(1);
});

it("a key that fails waits twice as long each time, up to a minute, until it succeeds", () => {
  const queue = new WorkQueue(WAITS);
  const waits = Array.from({ length: 8 }, () => {
    queue.retry("a", 0);
    const { nextDueAtMs } = queue;
    queue.take(nextDueAtMs, 1, all);
    return nextDueAtMs;
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  queue.succeeded("a");
  queue.retry("a", 0, 1_500);
  expect(queue.nextDueAtMs).toBe(1_500);
});

it("a wait leaves nothing in the signal, which lives as long as its replica leads", async () => {
  const { signal } = new AbortController();
  const queue = new WorkQueue({ ...WAITS, sleep: async () => undefined });
  for (let n = 0; n < 3; n++) await queue.wait(0, signal);
  expect(knownTo(signal)).toBe(0);
});
