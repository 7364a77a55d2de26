/** The results of one side of a contest in its turn. */
export interface Turn {
  /** The time of each act. */
  readonly ms: readonly number[];
  /** For acts that begin with an assign: the time of the assign. */
  readonly assignMs?: readonly number[];
  /** The time from the start of the first act to the end of the last, without the restoring between them. */
  readonly tookMs: number;
  /** The processor time of this process, which other processes do not affect. */
  readonly processorMs: number;
  /** Calls to the database, if they can be counted. */
  readonly calls: number | undefined;
}

/** An act of Plat, and raw conditional writes for comparison. */
export interface Contest {
  readonly section: string;
  readonly name: string;
  readonly callers: number;
  readonly hosts?: number;
  /** The raw writes. */
  readonly beside: string;
  readonly ours: () => Promise<Turn>;
  readonly raw: () => Promise<Turn>;
}

export interface Round {
  readonly ours: Turn;
  readonly raw: Turn;
}

/**
 * Runs the turns of each contest round by round, with Plat and raw first in alternation, so that disturbances affect
 * both.
 *
 * @param untilMs no round except the first begins later, by `performance.now()`
 */
export async function inTurns(
  contests: readonly Contest[],
  rounds: number,
  untilMs: number,
  say: (line: string) => void,
): Promise<ReadonlyMap<Contest, readonly Round[]>> {
  const all = new Map(contests.map((contest) => [contest, [] as Round[]]));
  for (let number = 0; number < rounds; number++) {
    if (number > 0 && performance.now() > untilMs) break;
    for (const [contest, rounds] of all) {
      const early = number % 2 === 0 ? undefined : await contest.raw();
      const ours = await contest.ours();
      rounds.push({ ours, raw: early ?? (await contest.raw()) });
    }
    say(`round ${number + 1} of ${rounds}`);
  }
  return all;
}

/**
 * Repeats an act for a time, at least once. The restoring after each act is not measured.
 *
 * @param calls the number of calls to the database so far, or for each act
 */
export async function oneByOne(
  forMs: number,
  calls: number | (() => number),
  act: () => Promise<(() => Promise<unknown>) | undefined>,
): Promise<Turn> {
  const ms: number[] = [];
  const soFar = () => (typeof calls === "number" ? calls * ms.length : calls());
  let made = 0;
  let processorMs = 0;
  for (
    const untilMs = performance.now() + forMs;
    ms.length === 0 || performance.now() < untilMs;
  ) {
    const madeBefore = soFar();
    const processor = processorTime();
    const beganAtMs = performance.now();
    const putRight = await act();
    ms.push(performance.now() - beganAtMs);
    processorMs += processor();
    made += soFar() - madeBefore;
    await putRight?.();
  }
  return { ms, tookMs: ms.reduce((sum, each) => sum + each, 0), processorMs, calls: made };
}

/** Starts a measurement; returns the function that returns the processor time since. */
export function processorTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Returns the value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
