import { setTimeout as sleep } from "node:timers/promises";

export interface Timer {
  /** Starts no further run, and waits for the one in progress. */
  stop(): Promise<void>;
}

/** Runs a task at an interval in seconds, as a schedule does in AWS. A task that takes longer delays the next one. */
export function every(seconds: number, task: () => Promise<void>): Timer {
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
      // A failed run does no harm, because the next one reads everything again.
      await task().catch((error) => console.error(`A scheduled run failed: ${error}`));
    }
  }
}

async function slept(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}
