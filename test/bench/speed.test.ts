import { describe, expect, it } from "vitest";
import { goalsOf } from "../../bench/speed/goals.ts";
import type { Line } from "../../bench/speed/lines.ts";
import { chartOf } from "../../bench/speed/plot.ts";
import { markdownOf } from "../../bench/speed/report.ts";
import { measureSpeed, SECTIONS } from "../../bench/speed/run.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";

const TINY = {
  only: SECTIONS,
  rounds: 1,
  ms: 20,
  minutes: 1,
  sizes: { callers: [1, 4], hosts: [1, 2], blocks: [10, 200], fills: [0, 99], crowd: 12 },
  say: () => {},
} as const;

it.runIf(emulatorBinary())(
  "the benchmark measures everything that it promises beside raw writes, and writes it down",
  async () => {
    const report = await measureSpeed(TINY);
    const { lines, goals } = report;
    const named = (text: string) => lines.filter(({ name }) => name.startsWith(text));
    const numbers = lines.flatMap(({ ours, raw, speed }) => [
      speed,
      ...Object.values(ours),
      ...Object.values(raw),
    ]);
    expect(numbers.filter((number) => !(number > 0))).toEqual([]);

    expect(new Set(lines.map(({ section }) => section))).toEqual(new Set(SECTIONS));
    expect(lines.filter(({ section }) => section === "pairs")).toHaveLength(4);
    expect(lines.filter(({ section }) => section === "http")).toHaveLength(2);
    expect(named("claim a block")).toHaveLength(4);
    expect(named("the last address")).toHaveLength(2);
    expect(named("the rejection of a full pool")).toHaveLength(2);

    // Alone and warm, ours makes no call that raw does not make, but to see each 5 s whether the configuration has
    // changed: one read, or two for a function that started since.
    const lone = lines[0];
    const others = named("assign, warm");
    expect(lone?.raw.callsPerAct).toBe(4);
    expect(others.map(({ raw }) => raw.callsPerAct)).toEqual([2, 2, 2, 2]);
    for (const line of [lone, ...others]) {
      const more = (line?.ours.callsPerAct ?? Number.NaN) - (line?.raw.callsPerAct ?? 0);
      expect(more).toBeGreaterThanOrEqual(0);
      expect(more).toBeLessThanOrEqual(2);
    }

    expect(goals.length).toBe(1 + 4 + 1);
    expect(goals.filter(({ measured }) => !(measured > 0))).toEqual([]);
    const markdown = markdownOf(report, "speed.svg");
    for (const { name, section } of lines)
      if (section !== "pairs" && section !== "http") expect(markdown).toContain(`| ${name} |`);
    for (const { goal } of goals) expect(markdown).toContain(`| ${goal} |`);
    expect(markdown).not.toMatch(/NaN|undefined|Infinity/);

    const plot = JSON.stringify(chartOf(lines));
    for (const text of ["one host", "2 hosts", "200 blocks in a /8", "a /16, 99 % full"])
      expect(plot).toContain(text);
  },
);

describe("the goals of the benchmark", () => {
  const side = { perSecond: 10, p50Ms: 1, p99Ms: 21, processorMsPerAct: 1 };
  const group = (callers: number, roundsPerSecond: readonly number[]): Line => ({
    section: "pairs",
    name: "assign and release",
    callers,
    hosts: 1,
    beside: "",
    ours: side,
    raw: side,
    speed: 1,
    ...(callers === 1 && { assignSpeed: 0.86 }),
    roundsBesideRaw: [],
    roundsPerSecond,
  });

  it("are judged by the medians of what was measured in one round", () => {
    // Each round was twice as fast as the one before, for all alike.
    const goals = goalsOf([group(1, [1, 2, 4]), group(8, [10, 20, 40]), group(64, [9, 22, 44])]);
    expect(goals.map(({ measured, met }) => [measured, met])).toEqual([
      [0.86, true],
      [1.1, true],
      [21, false],
    ]);
  });

  it("tell of growth from the smallest pool to the largest", () => {
    const site = (blocks: string, roundsBesideRaw: readonly number[]): Line => ({
      ...group(8, []),
      section: "growth",
      name: `assign, warm: ${blocks} blocks in a /8`,
      roundsBesideRaw,
    });
    const [growth] = goalsOf([
      site("10", [1, 2]),
      site("1,000", [9, 9]),
      site("100,000", [1.5, 3]),
    ]);
    expect(growth).toMatchObject({ measured: 1.5, met: false });
    expect(growth?.goal).toContain("100,000 blocks in a /8, where 10 blocks in a /8 is 1");
  });
});
