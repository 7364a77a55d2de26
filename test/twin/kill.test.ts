import "../local/silent.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runKills } from "../../bench/load/kills.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";

it.runIf(emulatorBinary())(
  "what the twin of prod answered outlives kill -9 of it, of its database and of its functions in mid-load",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "plat-"));
    const said: string[] = [];
    const report = await runKills({
      table: "prod",
      directory,
      callers: 4,
      killsEach: 1,
      answersBetween: 20,
      seed: 1,
      say: (sentence) => said.push(sentence),
    });
    await rm(directory, { recursive: true });
    expect(said.map((sentence) => sentence.replace(/ after .*/, "")).sort()).toEqual([
      "kill -9 of the database",
      "kill -9 of the functions",
      "kill -9 of the server",
    ]);
    expect(report).toMatchObject({ failures: [], violations: 0 });
    expect(report.unanswered).toBeGreaterThan(0);
    expect(report.toldTheSame).toBeGreaterThan(0);
  },
);
