import { setTimeout as sleep } from "node:timers/promises";
import type { Time } from "../src/wiring.ts";

/**
 * After this time a test hangs: no machine is so slow. A test that waits for a process waits as long, so that the speed
 * of a machine, or what else it does, fails none.
 */
export const HANGS_MS = 600_000;

/** The time of this machine, whose clock of deadlines stands still: no request runs out of time on a slow machine. */
export const UNHURRIED_TIME: Time = {
  now: () => Date.now(),
  sleep: async (ms) => {
    await sleep(ms);
  },
  elapsedMs: () => 0,
};
