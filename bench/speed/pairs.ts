import { assigned, give } from "../asked.ts";
import { makePool } from "../pool.ts";
import { type Bed, requestOf } from "./bed.ts";
import { ageBlock, RawPairs } from "./raw.ts";
import { type Contest, processorTime, type Turn } from "./turns.ts";

/** The warm-up of a case before each of its turns. */
const WARM_UP_MS = 200;

/** An assign and its release, which are called in turn. The argument is the number of the pair of one caller. */
export interface Pair {
  assign(n: number): Promise<unknown>;
  release(n: number): Promise<unknown>;
}

/** The interface through which Plat's pairs run. */
export interface Way {
  readonly section: string;
  /** Returns the space for a number of hosts. */
  readonly spaceOf: (hosts: number) => string;
  /** Makes the pairs of one caller on these hosts. */
  readonly pairOf: (space: string, hosts: readonly string[]) => Promise<Pair>;
  /** The number of calls to the database so far, if they can be counted. */
  readonly calls?: () => number;
}

interface Cases {
  readonly callers: readonly number[];
  readonly hosts: readonly number[];
  readonly ms: number;
}

/**
 * Measures pairs of an assign and a release by generation, by callers and hosts. Each caller has its own warm function
 * for each operation. The functions share only the table.
 */
export const pairContests = (bed: Bed, groups: Cases): Promise<readonly Contest[]> =>
  contestsThrough(bed, groups, {
    section: "pairs",
    spaceOf: (hosts) => `hosts-${hosts}`,
    pairOf: (space, hosts) => functionPair(bed, space, hosts),
    calls: () => bed.calls,
  });

/** Measures the same pairs through any interface. */
export async function contestsThrough(
  bed: Bed,
  { callers, hosts, ms }: Cases,
  { section, spaceOf, pairOf, calls }: Way,
): Promise<readonly Contest[]> {
  const contests: Contest[] = [];
  for (const hostCount of hosts) {
    const space = spaceOf(hostCount);
    await makePool(bed.coldFunction(), { space, name: "pool", cidr: "10.0.0.0/12" });
    const names = Array.from({ length: hostCount }, (_, i) => `node-${i}`);
    for (const name of names) await ageBlock(bed, space, name);
    const raw = await RawPairs.recorded(bed, space);
    for (const callerCount of callers) {
      const ours: Pair[] = [];
      const theirs: Pair[] = [];
      for (let caller = 0; caller < callerCount; caller++) {
        // Distributes hosts among callers; if there are fewer hosts than callers, callers share hosts.
        const mine = names.filter((_, i) => i % callerCount === caller % hostCount);
        ours.push(await pairOf(space, mine));
        // Raw writes have their own blocks in each case.
        const apart = mine.map((name) => `${callerCount}-${name}`);
        theirs.push(await rawPair(raw, apart, caller));
      }
      contests.push({
        section,
        name: "assign and release",
        callers: callerCount,
        hosts: hostCount,
        beside: "PutItem, UpdateItem, UpdateItem, DeleteItem",
        ours: () => turnOf(ours, ms, calls),
        raw: () => turnOf(theirs, ms, () => raw.calls),
      });
    }
  }
  return contests;
}

/**
 * Returns pairs by a function that has served each of its hosts before. Another function releases, as in a deployment.
 */
async function functionPair(bed: Bed, space: string, hosts: readonly string[]): Promise<Pair> {
  const assigner = bed.coldFunction();
  const releaser = bed.coldFunction();
  let told: Awaited<ReturnType<typeof assigned>>;
  for (const host of hosts)
    await give(releaser, space, await assigned(assigner, requestOf(space, host)));
  return {
    async assign(n) {
      told = await assigned(assigner, requestOf(space, hosts[n % hosts.length] as string));
    },
    release: () => give(releaser, space, told),
  };
}

async function rawPair(raw: RawPairs, hosts: readonly string[], caller: number): Promise<Pair> {
  const slots = await Promise.all(hosts.map((host) => raw.slotOf(host, caller)));
  const slotAt = (n: number) => slots[n % slots.length] as (typeof slots)[number];
  return { assign: (n) => slotAt(n).assign(), release: (n) => slotAt(n).release() };
}

async function turnOf(
  pairs: readonly Pair[],
  ms: number,
  callsSoFar: (() => number) | undefined,
): Promise<Turn> {
  await during(pairs, Math.min(WARM_UP_MS, ms));
  const callsBefore = callsSoFar?.() ?? 0;
  const turn = await during(pairs, ms);
  return { ...turn, calls: callsSoFar && callsSoFar() - callsBefore };
}

async function during(pairs: readonly Pair[], ms: number): Promise<Omit<Turn, "calls">> {
  const pairMs: number[] = [];
  const assignMs: number[] = [];
  const beganAtMs = performance.now();
  const processor = processorTime();
  const calling = pairs.map(async ({ assign, release }) => {
    let fromMs = performance.now();
    for (let n = 0; n === 0 || fromMs - beganAtMs < ms; n++) {
      await assign(n);
      assignMs.push(performance.now() - fromMs);
      await release(n);
      const untilMs = performance.now();
      pairMs.push(untilMs - fromMs);
      fromMs = untilMs;
    }
  });
  await Promise.all(calling);
  return {
    ms: pairMs,
    assignMs,
    tookMs: performance.now() - beganAtMs,
    processorMs: processor(),
  };
}
