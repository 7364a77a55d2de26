import { afterEach, beforeAll, vi } from "vitest";

/** Time, where a test needs it to pass. */
export function minutes() {
  let work: () => Promise<void>;
  // A function takes up its table as it is loaded: only when the server has started.
  beforeAll(async () => {
    const { SCHEDULED_RUNS } = await import("../../src/local/functions.ts");
    work = SCHEDULED_RUNS.work;
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  return {
    /** A minute goes by, and the worker of jobs comes. */
    async workAMinuteLater(): Promise<void> {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
      await work();
    },
  };
}
