import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { commitOf, compiledWorker, digestOfSources } from "./sources.ts";
import { Tally, type TallyState } from "./tally.ts";
import type { Done, Task } from "./worker.ts";

export interface CampaignOptions extends Omit<Task, "from"> {
  readonly seed: number;
  readonly workers: number;
  /** The file of the campaign, so that it can be continued. */
  readonly file?: string | undefined;
}

/**
 * A campaign as its file has it. It is continued if it is the same campaign over the same sources.
 */
interface Kept {
  readonly campaign: string;
  /** For the reader; only the digest of the sources decides. */
  readonly commit: string;
  readonly tally: TallyState;
}

const RUNS_PER_TASK = 50;
/**
 * The tasks of a process if branches are counted. V8 loses count of functions without branches once
 * it has compiled them, and young processes count them all.
 */
const COUNTING_TASKS_PER_PROCESS = 10;
/**
 * The size of the young generation. Few objects of a run last, so with this size V8 hardly ever
 * copies them.
 */
const YOUNG_MIB = 64;
const RUNS_PER_REPORT = 1_000;

/** Runs seeds one after another, several processes side by side, and stops at the first seed that breaks. */
export async function campaign(
  options: CampaignOptions,
): Promise<{ readonly tally: Tally; readonly broken?: Done["broken"] }> {
  const { seed, workers, file, runs, ...rest } = options;
  const name = JSON.stringify({ seed, ...rest, sources: digestOfSources() });
  const tally = file === undefined ? new Tally() : carriedOn(file, name);
  let next = seed + tally.runs;
  const end = seed + runs;
  const waiting = new Map<number, Done>();
  let broken: Done["broken"];
  /**
   * Merges results in the order of their seeds, so that the kept state always covers seeds without
   * gaps.
   */
  const take = (done: Done) => {
    waiting.set(done.from, done);
    for (let ready = waiting.get(seed + tally.runs); ready && !broken; ) {
      waiting.delete(ready.from);
      tally.merge(ready.tally);
      broken = ready.broken;
      if (file !== undefined && !broken) keep(file, { campaign: name, commit: commitOf(), tally });
      if (tally.runs % RUNS_PER_REPORT === 0) console.error(`${tally.runs} runs hold`);
      ready = waiting.get(seed + tally.runs);
    }
  };
  const { coverage } = options;
  const tasksPerProcess = coverage ? COUNTING_TASKS_PER_PROCESS : Number.POSITIVE_INFINITY;
  // Coverage counts the branches of the sources, so the worker is then not compiled.
  const compiled = coverage ? undefined : compiledWorker();
  const script = compiled?.script ?? new URL("./worker.ts", import.meta.url);
  const mode = compiled ? ["--enable-source-maps"] : process.execArgv;
  const work = async () => {
    while (next < end && !broken) {
      const child = fork(script, {
        execArgv: [...mode, `--max-semi-space-size=${YOUNG_MIB}`],
      });
      const ended = once(child, "exit").then(([code, signal]: (number | string | null)[]) => {
        if (code !== 0) throw new Error(`a process of the campaign ended with ${code ?? signal}`);
      });
      try {
        for (let task = 0; task < tasksPerProcess && next < end && !broken; task++) {
          const from = next;
          next = Math.min(from + RUNS_PER_TASK, end);
          take(await ask(child, ended, { ...rest, from, runs: next - from }));
        }
      } finally {
        if (child.connected) child.disconnect();
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: workers }, work));
  } finally {
    compiled?.remove();
  }
  return { tally, ...(broken && { broken }) };
}

async function ask(child: ChildProcess, ended: Promise<void>, task: Task): Promise<Done> {
  child.send(task);
  const answer = new Promise<Done>((resolve) =>
    child.once("message", (done) => resolve(done as Done)),
  );
  try {
    return await Promise.race([answer, ended.then(() => answer)]);
  } catch (cause) {
    throw new Error(`${(cause as Error).message} ${whereIn(task)}`, { cause });
  }
}

/**
 * Returns the seeds of the task in which a process died, and a command that finds the seed. A run
 * that throws is no violation; it ends its process.
 */
function whereIn({ from, runs, without, schedule, only, agents }: Task): string {
  const last = from + runs - 1;
  const flags = [
    ...(without === undefined ? [] : [`--without ${without}`]),
    ...(schedule ? [`--schedule ${schedule}`] : []),
    ...(only === undefined ? [] : [`--only "${only.join(",")}"`]),
    ...(agents ? ["--agents"] : []),
  ];
  const life = ["npm run sim -- --seed $SEED --runs 1", ...flags].join(" ");
  return `in a life of the seeds ${from} to ${last}; this finds it:\nfor SEED in $(seq ${from} ${last}); do ${life} || break; done`;
}

function carriedOn(file: string, campaign: string): Tally {
  if (!existsSync(file)) return new Tally();
  const kept = JSON.parse(readFileSync(file, "utf8")) as Kept;
  if (kept.campaign === campaign) return Tally.of(kept.tally);
  console.log(`${file} is of another campaign or of other sources: this one begins anew`);
  return new Tally();
}

function keep(file: string, { tally, ...rest }: Omit<Kept, "tally"> & { tally: Tally }): void {
  writeFileSync(file, JSON.stringify({ ...rest, tally: tally.state() }));
}
