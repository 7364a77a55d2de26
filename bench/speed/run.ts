import { availableParallelism, loadavg, totalmem } from "node:os";
import { Bed } from "./bed.ts";
import { crowdContest } from "./crowd.ts";
import { fullContests } from "./full.ts";
import { goalsOf } from "./goals.ts";
import { growthContests } from "./growth.ts";
import { httpContests } from "./http.ts";
import { lineOf } from "./lines.ts";
import { pairContests } from "./pairs.ts";
import type { Report } from "./report.ts";
import { type Contest, inTurns } from "./turns.ts";

export const SECTIONS = ["pairs", "http", "growth", "full", "crowd"] as const;
export type Section = (typeof SECTIONS)[number];
export const isSection = (name: string): name is Section =>
  (SECTIONS as readonly string[]).includes(name);

/** The sizes of the measurements. */
export interface Sizes {
  readonly callers: readonly number[];
  readonly hosts: readonly number[];
  /** The number of blocks in a /8. */
  readonly blocks: readonly number[];
  /** The share of taken blocks in a /16, in percent. */
  readonly fills: readonly number[];
  readonly crowd: number;
}

export const SIZES: Sizes = {
  callers: [1, 8, 32, 64],
  hosts: [1, 64],
  blocks: [10, 1_000, 100_000],
  fills: [0, 50, 90, 99],
  crowd: 2_000,
};

/**
 * The share of the time after which a section begins no further round; its first round always runs. So a slow machine
 * measures less, and not longer.
 */
const SHARES: Readonly<Record<Section, number>> = {
  pairs: 0.4,
  http: 0.5,
  growth: 0.75,
  full: 0.8,
  crowd: 0.9,
};
/** Measurements of single acts take this share of the time of those with many callers. */
const SHARE_OF_ONE = 0.25;
/** The maximum of rounds with a crowd, because they have no time limit. */
const CROWD_ROUNDS_MAX = 3;

/**
 * Runs the requested measurements over one table.
 *
 * @param ms the time of a turn of many callers
 */
export async function measureSpeed({
  only,
  rounds,
  ms,
  minutes,
  sizes,
  say,
}: {
  readonly only: readonly Section[];
  readonly rounds: number;
  readonly ms: number;
  readonly minutes: number;
  readonly sizes: Sizes;
  readonly say: (line: string) => void;
}): Promise<Report> {
  const bed = await Bed.open();
  const stops: (() => Promise<unknown>)[] = [bed.stop];
  const beganAtMs = performance.now();
  const loadBefore = loadavg()[0] ?? 0;
  try {
    const short = SHARE_OF_ONE * ms;
    const make: Readonly<Record<Section, () => Promise<readonly Contest[]>>> = {
      pairs: () => pairContests(bed, { ...sizes, ms }),
      async http() {
        const { contests, stop } = await httpContests(bed, { ...sizes, ms });
        stops.push(stop);
        return contests;
      },
      growth: () => growthContests(bed, { ...sizes, ms: short, say }),
      full: () => fullContests(bed, short),
      crowd: async () => [await crowdContest(bed, sizes.crowd)],
    };
    const lines = [];
    for (const section of SECTIONS) {
      if (!only.includes(section)) continue;
      say(section);
      const times = section === "crowd" ? Math.min(rounds, CROWD_ROUNDS_MAX) : rounds;
      const untilMs = beganAtMs + SHARES[section] * minutes * 60_000;
      const outcome = await inTurns(await make[section](), times, untilMs, say);
      lines.push(...[...outcome].map(([contest, all]) => lineOf(contest, all)));
    }
    return {
      date: new Date().toISOString().slice(0, 10),
      machine: machineOf(loadBefore),
      method: METHOD(rounds, ms),
      lines,
      goals: goalsOf(lines),
    };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

function machineOf(load: number): string {
  const cores = availableParallelism();
  const gb = Math.round(totalmem() / 2 ** 30);
  return `${cores} cores and ${gb} GB, ${process.platform} on ${process.arch}, Node.js ${process.versions.node}; other load at the beginning: ${load.toFixed(1)}`;
}

const METHOD = (
  rounds: number,
  ms: number,
) => `The table is the embedded DynamoDB, in memory, on the same cores as the callers. Each caller has two warm functions of its own, one
that assigns and one that releases (each with a memory of its own, and no server before it); all share one client of the SDK. *Raw* is what the same client takes for as many
conditional writes of items of the same content, which return the same, with nothing read, chosen or parsed, and with nobody else at their slot.
Both have turns round by round: ${rounds} rounds at most, of ${ms / 1_000} s for each of them with many callers, a quarter of that for one by one.
\`ours/raw\` is the median of the rounds, and 1 would be as fast as raw; p50 and p99 are those of all rounds; a call is one to the table,
and *processor ms* is what the callers' process used for an act, which others at work on the machine hardly touch.
Nothing cools, so that addresses come round at once.`;
