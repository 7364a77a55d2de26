import "./silent.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runLongRace } from "../../bench/load/long-race.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";

const OPERATIONS = 20_000;
const KILLS = 4;
/** By its draws a worker is killed first, then the database, and each once more. */
const SEED = 29;
/** Many times what it takes on a machine of its own. */
const TEST_MS_MAX = 1_800_000;

it.runIf(emulatorBinary())(
  "a race with kills goes on where it was left, and nothing that anybody holds is lost or given twice",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "plat-"));
    const race = (killsMax: number) => {
      let kills = 0;
      return runLongRace({
        directory,
        operations: OPERATIONS,
        callers: 64,
        kills: KILLS,
        seed: SEED,
        isSuspended: () => kills >= killsMax,
        say: (sentence) => {
          if (sentence.startsWith("kill -9")) kills++;
        },
      });
    };
    const left = await race(1);
    expect(left).toMatchObject({ finished: false, failures: [] });
    expect(left.progress.ledger.standing.length).toBeGreaterThan(0);
    const { finished, failures, progress } = await race(Number.POSITIVE_INFINITY);
    expect(failures).toEqual([]);
    expect(finished).toBe(true);
    expect(progress).toMatchObject({
      runs: 2,
      operations: OPERATIONS,
      kills: KILLS,
      violations: 0,
    });
    expect(progress.checks).toBeGreaterThanOrEqual(4);
    expect(progress.unanswered).toBeGreaterThan(0);
    expect(progress.held).toBeGreaterThan(0);
    await rm(directory, { recursive: true });
  },
  TEST_MS_MAX,
);
