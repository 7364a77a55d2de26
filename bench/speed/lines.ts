import { type Contest, median, quantile, type Round, type Turn } from "./turns.ts";

/** The result of a contest. */
export interface Line {
  readonly section: string;
  readonly name: string;
  readonly callers: number;
  readonly hosts?: number;
  readonly beside: string;
  readonly ours: Side;
  readonly raw: Side;
  /** Acts of Plat per second relative to raw: the median of the rounds. */
  readonly speed: number;
  /** The same for assigns alone, by their medians, if acts begin with an assign. */
  readonly assignSpeed?: number;
  /** The time of an act of Plat relative to raw's: the medians of each round. */
  readonly roundsBesideRaw: readonly number[];
  readonly roundsPerSecond: readonly number[];
}

interface Side {
  /** The median of the rounds. */
  readonly perSecond: number;
  /** The median over all acts of all rounds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The processor time in the process of the callers. */
  readonly processorMsPerAct: number;
  /** The number of calls per act, if the calls can be counted. */
  readonly callsPerAct?: number;
}

export function lineOf(contest: Contest, rounds: readonly Round[]): Line {
  const { section, name, callers, hosts, beside } = contest;
  const assigns = rounds.flatMap(({ ours, raw }) =>
    ours.assignMs && raw.assignMs ? [median(raw.assignMs) / median(ours.assignMs)] : [],
  );
  return {
    section,
    name,
    callers,
    ...(hosts !== undefined && { hosts }),
    beside,
    ours: sideOf(rounds.map(({ ours }) => ours)),
    raw: sideOf(rounds.map(({ raw }) => raw)),
    speed: median(rounds.map(({ ours, raw }) => perSecondOf(ours) / perSecondOf(raw))),
    ...(assigns.length > 0 && { assignSpeed: median(assigns) }),
    roundsBesideRaw: rounds.map(({ ours, raw }) => median(ours.ms) / median(raw.ms)),
    roundsPerSecond: rounds.map(({ ours }) => perSecondOf(ours)),
  };
}

function sideOf(turns: readonly Turn[]): Side {
  const all = turns.flatMap(({ ms }) => ms);
  const perAct = (of: (turn: Turn) => number) =>
    turns.reduce((sum, turn) => sum + of(turn), 0) / all.length;
  return {
    perSecond: median(turns.map(perSecondOf)),
    p50Ms: median(all),
    p99Ms: quantile(all, 0.99),
    processorMsPerAct: perAct(({ processorMs }) => processorMs),
    ...(turns.every(({ calls }) => calls !== undefined) && {
      callsPerAct: perAct(({ calls = 0 }) => calls),
    }),
  };
}

const perSecondOf = ({ ms, tookMs }: Turn): number => (1_000 * ms.length) / tookMs;
