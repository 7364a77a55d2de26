import { afterEach, beforeAll, vi } from "vitest";

/** Lets time pass in a test. */
export function minutes() {
  let work: () => Promise<void>;
  // A function connects to its table when it is loaded, so this runs after the server has started.
  beforeAll(async () => {
    const { SCHEDULED_RUNS } = await import("../../src/local/functions.ts");
    work = SCHEDULED_RUNS.work;
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  return {
    /** Moves the clock a minute ahead, and runs the worker of jobs. */
    async workAMinuteLater(): Promise<void> {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
      await work();
    },
  };
}
