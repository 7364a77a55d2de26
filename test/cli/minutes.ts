import { afterEach, vi } from "vitest";
import type { LocalPlat } from "../../src/local/plat.ts";

/** Lets time pass in a test, for the server of its terminal. */
export function minutes({ server }: { server(): LocalPlat }) {
  afterEach(() => {
    vi.useRealTimers();
  });
  return {
    /** Moves the clock a minute ahead, and runs the worker of jobs. */
    async workAMinuteLater(): Promise<void> {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
      await server().scheduledRuns.work();
    },
  };
}
