import "../local/silent.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runRegions } from "../../bench/load/regions.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";

describe.runIf(emulatorBinary())("two Regions and a witness of one environment", () => {
  it("give no address twice and lose no answer, as each Region is lost and comes back under load", async () => {
    const directory = await mkdtemp(join(tmpdir(), "plat-"));
    const said: string[] = [];
    const report = await runRegions({
      directory,
      callers: 8,
      answersBetween: 20,
      seed: 1,
      say: (sentence) => said.push(sentence),
    });
    await rm(directory, { recursive: true });
    expect(report).toMatchObject({ failures: [], violations: 0 });
    expect(said).toHaveLength(6);
    expect(report.conflicts).toBeGreaterThan(0);
    expect(report.toldTheSame).toBeGreaterThan(0);
  });
});
