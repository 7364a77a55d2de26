import { setTimeout as sleep } from "node:timers/promises";

export interface Timer {
  /** Starts no further pass, and waits for the one under way. */
  stop(): Promise<void>;
}

/** Runs a scheduled run every so many seconds, as the schedule does in AWS. A scheduled run that takes longer puts off the next one. */
export function every(seconds: number, pass: () => Promise<void>): Timer {
  const stopping = new AbortController();
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };

  async function run(): Promise<void> {
    while (await slept(seconds * 1000, stopping.signal)) {
      // A failed pass has done no harm, and the next one looks at everything anew.
      await pass().catch((error) => console.error(`A scheduled run failed: ${error}`));
    }
  }
}

async function slept(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}
