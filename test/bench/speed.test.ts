import { expect, it } from "vitest";
import { plotOf } from "../../bench/speed/plot.ts";
import { markdownOf } from "../../bench/speed/report.ts";
import { measureSpeed, SECTIONS } from "../../bench/speed/run.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";

const TINY = {
  only: SECTIONS,
  rounds: 1,
  ms: 20,
  sizes: { callers: [1, 8, 64], hosts: [1, 2], blocks: [10, 200], fills: [0, 99], crowd: 12 },
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
    expect(lines.filter(({ section }) => section === "pairs")).toHaveLength(6);
    expect(named("claim a block")).toHaveLength(4);
    expect(named("the last address")).toHaveLength(2);
    expect(named("the refusal of a full pool")).toHaveLength(2);

    // Alone and warm, ours makes no call that raw does not make, but for a look each 5 s whether the configuration has changed.
    const lone = lines[0];
    const others = named("assign, warm");
    expect(lone?.raw.callsPerAct).toBe(4);
    expect(others.map(({ raw }) => raw.callsPerAct)).toEqual([2, 2, 2, 2]);
    for (const line of [lone, ...others]) {
      const more = (line?.ours.callsPerAct ?? 0) - (line?.raw.callsPerAct ?? 0);
      expect(more).toBeGreaterThanOrEqual(0);
      expect(more).toBeLessThanOrEqual(1);
    }

    expect(goals.length).toBe(1 + 2 + 4 + 1);
    expect(goals.filter(({ measured }) => !(measured > 0))).toEqual([]);
    const markdown = markdownOf(report, "speed.svg");
    for (const { name, section } of lines)
      if (section !== "pairs") expect(markdown).toContain(`| ${name} |`);
    for (const { goal } of goals) expect(markdown).toContain(`| ${goal} |`);
    expect(markdown).not.toMatch(/NaN|undefined|Infinity/);

    const plot = await plotOf(lines);
    expect(plot).toMatch(/^<svg .*<\/svg>$/s);
    for (const text of ["one host", "2 hosts", "200 blocks in a /8", "a /16, 99 % full"])
      expect(plot).toContain(text);
  },
);
