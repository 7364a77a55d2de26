import "./silent.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runKills } from "../../bench/load/kills.ts";

it.each([
  ["file", "of the server", 2],
  ["dynamodb", "of the server and of its database", 1],
] as const)(
  "what was answered, and kept in a %s, outlives kill -9 %s in mid-load",
  async (table, _, killsEach) => {
    const directory = await mkdtemp(join(tmpdir(), "plat-"));
    const said: string[] = [];
    const report = await runKills({
      table,
      directory,
      callers: 4,
      killsEach,
      answersBetween: 20,
      seed: 1,
      say: (sentence) => said.push(sentence),
    });
    await rm(directory, { recursive: true });
    expect(said).toHaveLength(2);
    expect(report).toMatchObject({ failures: [], violations: 0 });
    expect(report.unanswered).toBeGreaterThan(0);
    expect(report.toldTheSame).toBeGreaterThan(0);
  },
);
