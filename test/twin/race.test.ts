import "../local/silent.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runRace } from "../../bench/load/race.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { oneIn } from "../simulation/sampled-calls.ts";

const OPERATIONS = 400 / oneIn(4);
/** Each caller more is a process more of nearly each function. */
const CALLERS = 16 / oneIn(2);
const SEED = 1;

it.runIf(emulatorBinary())(
  "callers race on the twin of prod, and a pool is drained meanwhile: no address is held twice, none is lost, nothing is left over",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "plat-"));
    const report = await runRace({
      table: "prod",
      directory,
      operations: OPERATIONS,
      callers: CALLERS,
      seed: SEED,
      filledBy: oneIn(8),
    });
    await rm(directory, { recursive: true });
    expect(report).toMatchObject({ failures: [], violations: 0 });
    expect(report.held).toBeGreaterThan(0);
    expect(report.toldTheSame).toBeGreaterThan(0);
    expect(report.drained).toBeGreaterThan(0);
  },
);
