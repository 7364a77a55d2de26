import type { Branch, Taken } from "./coverage.ts";
import type { RunResult } from "./run.ts";

/** An event of a run, and the number of runs with it. */
export interface Share {
  readonly what: string;
  readonly runs: number;
}

/** A tally as it is kept in a file or sent between processes. */
export interface TallyState {
  readonly runs: number;
  readonly calls: number;
  readonly processes: number;
  readonly seen: readonly (readonly [string, number])[];
  readonly branches: readonly BranchCount[];
}

/** The number of runs in which a branch was taken; `around` names the branch around it. */
interface BranchCount {
  readonly branch: Branch;
  readonly around: string | undefined;
  runs: number;
}

/** Counts the events of a campaign's runs. */
export class Tally {
  #runs = 0;
  #calls = 0;
  #processes = 0;
  readonly #seen = new Map<string, number>();
  readonly #branches = new Map<string, BranchCount>();

  static of(state: TallyState): Tally {
    const tally = new Tally();
    tally.#runs = state.runs;
    tally.#calls = state.calls;
    tally.#processes = state.processes;
    for (const [what, runs] of state.seen) tally.#seen.set(what, runs);
    for (const count of state.branches) tally.#branches.set(nameOf(count.branch), count);
    return tally;
  }

  get runs(): number {
    return this.#runs;
  }

  /** Returns the mean number of processes of a run, and of their calls to the store. */
  get means(): { readonly processes: number; readonly calls: number } {
    return { processes: this.#processes / this.#runs, calls: this.#calls / this.#runs };
  }

  add({ seen, processes }: RunResult, taken: readonly Taken[]): void {
    this.#runs++;
    this.#processes += processes.length;
    for (const [what, count] of seen) {
      this.#seen.set(what, (this.#seen.get(what) ?? 0) + 1);
      if (what.startsWith("call: ")) this.#calls += count;
    }
    // New branches come first: before this run they were taken as often as the branches around
    // them.
    for (const { branch, around } of taken) {
      if (this.#branches.has(nameOf(branch))) continue;
      const outer = around && nameOf(around);
      const runs = outer === undefined ? 0 : (this.#branches.get(outer)?.runs ?? 0);
      this.#branches.set(nameOf(branch), { branch, around: outer, runs });
    }
    for (const { branch, is } of taken) {
      const count = this.#branches.get(nameOf(branch));
      if (count && is) count.runs++;
    }
  }

  merge(other: TallyState): void {
    this.#runs += other.runs;
    this.#calls += other.calls;
    this.#processes += other.processes;
    for (const [what, runs] of other.seen) this.#seen.set(what, (this.#seen.get(what) ?? 0) + runs);
    const theirs = new Map(other.branches.map((count) => [nameOf(count.branch), count]));
    const ours = new Map(this.#branches);
    for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
      const count = (theirs.get(name) ?? ours.get(name)) as BranchCount;
      const aroundOf = (of: string) => (theirs.get(of) ?? ours.get(of))?.around;
      const runs = takenIn(ours, name, aroundOf) + takenIn(theirs, name, aroundOf);
      this.#branches.set(name, { ...count, runs });
    }
  }

  /**
   * Returns the number of runs for each event of a kind. Expected events that never occurred have
   * zero.
   */
  shares(kind: string, expected: readonly string[] = []): readonly Share[] {
    const counts = new Map(expected.map((what) => [`${kind}: ${what}`, 0]));
    for (const [what, runs] of this.#seen) if (what.startsWith(`${kind}: `)) counts.set(what, runs);
    return rarestFirst([...counts].map(([what, runs]) => ({ what, runs })));
  }

  branches(): readonly (Share & { readonly branch: Branch; readonly around: readonly Branch[] })[] {
    const around = (name: string | undefined): readonly Branch[] => {
      const outer = name === undefined ? undefined : this.#branches.get(name);
      return outer ? [outer.branch, ...around(outer.around)] : [];
    };
    return rarestFirst(
      [...this.#branches.values()].map((count) => ({
        what: describe(count.branch),
        runs: count.runs,
        branch: count.branch,
        around: around(count.around),
      })),
    );
  }

  state(): TallyState {
    return {
      runs: this.#runs,
      calls: this.#calls,
      processes: this.#processes,
      seen: [...this.#seen],
      branches: [...this.#branches.values()].map((count) => ({ ...count })),
    };
  }
}

/** Counts a branch without a counter as often as the one around it. */
function takenIn(
  counts: ReadonlyMap<string, BranchCount>,
  name: string,
  aroundOf: (name: string) => string | undefined,
): number {
  for (let at: string | undefined = name; at !== undefined; at = aroundOf(at)) {
    const known = counts.get(at);
    if (known) return known.runs;
  }
  return 0;
}

const rarestFirst = <T extends Share>(shares: readonly T[]): readonly T[] =>
  shares.toSorted((a, b) => a.runs - b.runs || (a.what < b.what ? -1 : 1));

const names = new WeakMap<Branch, string>();

function nameOf(branch: Branch): string {
  const { file, line, column, text } = branch;
  const name = names.get(branch) ?? `${file}:${line}:${column} ${text}`;
  names.set(branch, name);
  return name;
}

const describe = ({ file, line, within, text }: Branch) =>
  `${file}:${line} ${within || "(anonymous)"}: ${text}`;
