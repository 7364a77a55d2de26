/** What one side of a contest did in its turn. */
export interface Turn {
  /** How long each act took. */
  readonly ms: readonly number[];
  /** Of acts that begin with an assign: how long that took. */
  readonly assignMs?: readonly number[];
  /** From the first act's beginning to the last one's end, without what was put right between them. */
  readonly tookMs: number;
  /** What it took of the processor in this process, of which others at work take nothing. */
  readonly processorMs: number;
  /** Calls to the database, where they are seen. */
  readonly calls: number | undefined;
}

/** Something that ours does, beside raw conditional writes. */
export interface Contest {
  readonly section: string;
  readonly name: string;
  readonly callers: number;
  readonly hosts?: number;
  /** What raw does meanwhile. */
  readonly beside: string;
  readonly ours: () => Promise<Turn>;
  readonly raw: () => Promise<Turn>;
}

export interface Round {
  readonly ours: Turn;
  readonly raw: Turn;
}

/**
 * Round by round each contest has its turns, ours first and raw first by turns, so that a machine's moods touch both.
 *
 * @param untilMs no round but the first begins later, by `performance.now()`
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
 * One act after the other for so long, and at least one; what is put right after each is not measured.
 *
 * @param calls how many calls to the database there were so far; or how many each act makes
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

/** Begins to measure; returns what has been used of the processor since. */
export function processorTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The value that a share of them stays within. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
