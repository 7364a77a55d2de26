import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { runLongRace } from "../../bench/load/long-race.ts";

/** With this seed a worker is killed first, then the database, and each once more. */
export const RACE_SEED = 29;
const CALLERS = 64;

/**
 * Runs a race that is suspended after its first kill and continues in a second run. Both check the table against the
 * answers that the callers received.
 */
export async function expectResumedRace(operations: number, kills: number): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "plat-"));
  const race = (killsMax: number) => {
    let killed = 0;
    return runLongRace({
      directory,
      operations,
      callers: CALLERS,
      kills,
      seed: RACE_SEED,
      isSuspended: () => killed >= killsMax,
      say: (sentence) => {
        if (sentence.startsWith("kill -9")) killed++;
      },
    });
  };
  const left = await race(1);
  expect(left.failures, left.failures.join("\n")).toEqual([]);
  expect(left.finished).toBe(false);
  expect(left.progress.ledger.current.length).toBeGreaterThan(0);
  const { finished, failures, progress } = await race(Number.POSITIVE_INFINITY);
  expect(failures, failures.join("\n")).toEqual([]);
  expect(finished).toBe(true);
  expect(progress).toMatchObject({ runs: 2, operations, kills, violations: 0 });
  expect(progress.checks).toBeGreaterThanOrEqual(kills);
  expect(progress.unanswered).toBeGreaterThan(0);
  expect(progress.held).toBeGreaterThan(0);
  await rm(directory, { recursive: true });
}
