import { afterEach, expect, it, vi } from "vitest";
import { every } from "../../src/local/timers.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("a scheduled run goes on after one that failed, never overlaps itself, and stops when told", async () => {
  const failures = vi.spyOn(console, "error").mockImplementation(() => {});
  let running = 0;
  let scheduledRuns = 0;
  await new Promise<void>((resolve) => {
    const timer = every(0.001, async () => {
      expect(++running).toBe(1);
      await Promise.resolve();
      running--;
      scheduledRuns++;
      // `stop` also waits for the scheduled run that calls it.
      if (scheduledRuns === 3) void timer.stop().then(resolve);
      throw new Error("every pass fails");
    });
  });
  expect(scheduledRuns).toBe(3);
  expect(failures).toHaveBeenCalledTimes(3);
});
