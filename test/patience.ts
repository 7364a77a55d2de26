import { setTimeout as sleep } from "node:timers/promises";
import type { Surroundings } from "../src/wiring.ts";
import { atEachFile } from "./each-file.ts";
import { seededRandom } from "./simulation/random.ts";

/**
 * After this time a test hangs: no machine is so slow. A test that waits for a process waits as long, so that the speed
 * of a machine, or what else it does, fails none.
 */
export const HANGS_MS = 600_000;

/** A page shows within this time what a test awaits; the error says what was awaited, before the test hangs. */
export const AWAITED_MS = HANGS_MS / 5;

let random = seededRandom(1);
atEachFile(() => {
  random = seededRandom(Number(process.env.SEED ?? 1));
});

/**
 * The time of this machine, whose clock of deadlines stands still: no request runs out of time on a slow machine. Each
 * file draws the same random values in every run; `SEED=7 npm test` draws others.
 */
export const UNHURRIED: Surroundings = {
  now: () => Date.now(),
  sleep: async (ms) => {
    await sleep(ms);
  },
  elapsedMs: () => 0,
  random: { fraction: () => random.fraction(), bytes: (count) => random.bytes(count) },
};
