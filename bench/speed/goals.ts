import type { Line } from "./lines.ts";
import { median } from "./turns.ts";

/** A goal for a time. Times depend on the machine, so a missed goal is printed and does not fail the run. */
export interface Goal {
  readonly goal: string;
  readonly measured: number;
  readonly bound: number;
  readonly met: boolean;
}

const ASSIGN_SPEED_MIN = 0.85;
const GROWTH_MAX = 1.2;
const TAIL_MAX = 20;

/** Returns each goal for which there are lines. */
export function goalsOf(lines: readonly Line[]): readonly Goal[] {
  const pairs = lines.filter(({ section }) => section === "pairs");
  const hostCounts = [...new Set(pairs.map(({ hosts }) => hosts as number))];
  const growing = lines.filter(({ section }) => section === "growth");
  const lone = pairs.find(({ callers, hosts }) => callers === 1 && hosts === 1);
  const tails = lines.filter(({ section }) => section === "pairs" || section === "growth");
  const tail = Math.max(...tails.map(({ ours }) => ours.p99Ms / ours.p50Ms));
  return [
    ...(lone?.assignSpeed === undefined
      ? []
      : [
          atLeast(
            "a warm assign, one caller: its speed, where two raw writes are 1",
            lone.assignSpeed,
            ASSIGN_SPEED_MIN,
          ),
        ]),
    ...hostCounts.flatMap((hosts) => {
      const at = (callers: number) =>
        pairs.find((line) => line.hosts === hosts && line.callers === callers);
      const [few, many] = [at(8), at(64)];
      if (!few || !many) return [];
      const ratio = inRounds(many.roundsPerSecond, few.roundsPerSecond);
      return [
        atLeast(
          `pairs a second of 64 callers, where those of 8 are 1: ${hostsName(hosts)}`,
          ratio,
          1,
        ),
      ];
    }),
    ...growthsOf(growing).map(({ from, to }) =>
      atMost(
        `${to.name}, where ${from.where} is 1`,
        inRounds(to.roundsBesideRaw, from.roundsBesideRaw),
        GROWTH_MAX,
      ),
    ),
    ...(tails.length > 0 ? [atMost("p99 of p50, the largest", tail, TAIL_MAX)] : []),
  ];
}

export const hostsName = (hosts: number) => (hosts === 1 ? "one host" : `${hosts} hosts`);

/**
 * Compares growth with raw writes of the same moment, which do not depend on a pool's size. So disturbances between two
 * pools do not count as growth.
 *
 * @returns the first and the last of the lines that measure the same in pools of different sizes
 */
function growthsOf(lines: readonly Line[]) {
  const seriesOf = ({ name }: Line) => name.replace(/\d[\d,]* (%|blocks)/, "$1");
  return [...new Set(lines.map(seriesOf))].flatMap((series) => {
    const same = lines.filter((line) => seriesOf(line) === series);
    const [from, to] = [same[0], same.at(-1)];
    if (!from || !to || from === to) return [];
    return [{ from: { ...from, where: from.name.split(": ")[1] ?? "" }, to }];
  });
}

const inRounds = (values: readonly number[], others: readonly number[]): number =>
  median(values.map((value, round) => value / (others[round] as number)));

const atLeast = (goal: string, measured: number, bound: number): Goal => ({
  goal: `${goal} (at least ${bound})`,
  measured,
  bound,
  met: measured >= bound,
});

const atMost = (goal: string, measured: number, bound: number): Goal => ({
  goal: `${goal} (at most ${bound})`,
  measured,
  bound,
  met: measured <= bound,
});
