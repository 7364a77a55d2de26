import { type Outcome, ThrottledError, UnavailableError } from "../../src/base/outcome.ts";
import type { Random } from "../../src/kernel/values/fresh.ts";
import { CALL_TRIES_MAX } from "../../src/store/stack.ts";
import type { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Item } from "../../src/table/item.ts";
import type { Table, Write } from "../../src/table/table.ts";

/** The probability of faults per call, and the other conditions of a run. */
export interface Weather {
  /**
   * The share of writes whose author does not learn the outcome: done, never done, or done much
   * later.
   */
  readonly unknownShare: number;
  /** The share of reads without an answer. */
  readonly unansweredShare: number;
  /** The share of calls with which the process dies. */
  readonly crashShare: number;
  /** The share of calls at which the process pauses for a while. */
  readonly freezeShare: number;
  /** The share of requests that the database throttles. */
  readonly busyShare: number;
  /** The share of writes that are delivered twice; the author gets the outcome of the second. */
  readonly twiceShare: number;
  /** The share of long steps, so long that graces and cooldowns end during an operation. */
  readonly slowShare: number;
  /** The share of eventually consistent reads that return an earlier state. */
  readonly staleShare: number;
  /**
   * The share of unanswered reads and of throttled requests that begin a burst: the next ones of the process fail in the same
   * way, at least as many as the tries of a call. Absent where a function does not try again.
   */
  readonly burstShare?: number;
  /** Writes that the database hardly ever answers for a while. */
  readonly relentless?: {
    readonly steps: readonly string[];
    /** The share of calls without an answer, and the share of these in which the write was done. */
    readonly silentShare: number;
    readonly landedShare: number;
    /** Milliseconds since the start of the run. */
    readonly fromMs: number;
    readonly untilMs: number;
  };
}

/** Every kind of fault, as a campaign counts them. */
export const FAULTS = [
  "answer lost",
  "burst",
  "busy",
  "crash after the call",
  "crash before the call",
  "delivered twice",
  "frozen",
  "late request landed",
  "read unanswered",
  "relentless",
  "request late",
  "request lost",
  "stale read",
] as const;
type Fault = (typeof FAULTS)[number];
/** The faults that come in bursts. A write without an answer is never tried again, so it needs none. */
type BurstFault = Extract<Fault, "read unanswered" | "busy">;

/** A call that was carried out, as the judges see it beside the table. */
export interface Step {
  /** True time, which no process knows. */
  readonly nowMs: number;
  /** The number of milliseconds by which the clock of the calling process is ahead. */
  readonly skewMs: number;
}

export const FAIR: Weather = {
  unknownShare: 0,
  unansweredShare: 0,
  crashShare: 0,
  freezeShare: 0,
  busyShare: 0,
  twiceShare: 0,
  slowShare: 0.006,
  staleShare: 0,
};

export const STORMY: Weather = {
  unknownShare: 0.05,
  unansweredShare: 0.01,
  crashShare: 0.015,
  freezeShare: 0.04,
  busyShare: 0.005,
  twiceShare: 0.005,
  slowShare: 0.004,
  staleShare: 0.3,
};

/** A call of a process without an answer yet. */
interface Call {
  readonly process: Process;
  readonly label: string;
  readonly write?: Write;
  /** Carries the call out and answers it. */
  perform(): Promise<void>;
  /** Answers it without carrying it out. */
  fail(): void;
  /** Answers it with a throttling error. */
  reject(): void;
  /** The earliest time of its answer, for a process that sleeps. */
  readonly dueMs?: number;
}

interface Process {
  readonly name: string;
  readonly skewMs: number;
  frozenSteps: number;
  /** The calls that still fail in a burst, and how. */
  burst?: { readonly fault: BurstFault; calls: number };
  dead: boolean;
  done: boolean;
}

/** The substitutes for the world in a process. */
export interface Surroundings {
  readonly table: Table;
  sleep(ms: number): Promise<void>;
  now(): number;
}

/** The names of the errors that a walk may end with. */
const ANSWERS = ["ContentionError", "DeadlineError", "ThrottledError", "UnavailableError"];
/** The longest burst, in calls. A process may have several under way, which share it. */
const BURST_CALLS_MAX = 3 * CALL_TRIES_MAX;
const FREEZE_STEPS_MAX = 250;
const STEPS_MAX = 20_000;
const STARTED_MS = 1_700_000_000_000;

/**
 * Runs real walks side by side over one in-memory table. It replaces nothing in the walks but their
 * surroundings: every call to the database, and every sleep, waits here until the scheduler picks
 * it. The seed decides each pick.
 */
export class Scheduler {
  readonly table: InMemoryTable;
  readonly random: Random;
  nowMs = STARTED_MS;
  /** The count of each event, for the coverage that a campaign prints. */
  readonly seen = new Map<string, number>();
  /** Called after every call that was carried out. */
  onStep: (label: string, step: Step) => void = () => {};

  readonly #weather: Weather;
  readonly #calls: Call[] = [];
  readonly #late: { readonly process: Process; land(): Promise<unknown> }[] = [];
  readonly #processes: Process[] = [];
  readonly #errors: unknown[] = [];
  readonly #snapshots = new Map<string, unknown>();
  readonly #answers: ReadonlySet<string>;

  /** @param rejections the names of further errors that a walk may end with */
  constructor(
    table: InMemoryTable,
    random: Random,
    weather: Weather,
    rejections: readonly string[] = [],
  ) {
    this.#answers = new Set([...ANSWERS, ...rejections]);
    this.table = table;
    this.random = random;
    this.#weather = weather;
  }

  /**
   * Starts a process, which makes its first call at once. An error at its end is an answer, not a
   * failure of the run.
   *
   * @param skewMs the number of milliseconds by which its clock is ahead
   */
  spawn(name: string, body: (own: Surroundings) => Promise<unknown>, skewMs = 0): void {
    const process: Process = { name, skewMs, frozenSteps: 0, dead: false, done: false };
    this.#processes.push(process);
    const ended = () => {
      process.done = true;
    };
    body({
      table: this.#tableOf(process),
      sleep: (ms) => this.#sleep(process, ms),
      now: () => Math.round(this.nowMs + skewMs),
    }).then(ended, (error: unknown) => {
      ended();
      this.#errors.push(error);
    });
  }

  /** Runs until every process is done or dead, then lets every late write land. */
  async run(): Promise<void> {
    for (let step = 0; step < STEPS_MAX; step++) {
      await quiescence();
      this.#raise();
      this.nowMs += this.#passing();
      if (this.#late.length > 0 && this.#chance(0.03)) await this.#landOne();
      const call = this.#pick();
      if (!call) {
        if (this.#calls.length === 0) break;
        this.nowMs += 1000; // everybody sleeps or stands still
        continue;
      }
      await this.#carryOut(call);
    }
    if (this.#calls.length > 0) throw new Error(`the run did not end in ${STEPS_MAX} steps`);
    while (this.#late.length > 0) await this.#landOne();
  }

  count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  #countFault(fault: Fault): void {
    this.count(`fault: ${fault}`);
  }

  #tableOf(process: Process): Table {
    const { table } = this;
    const read = <T>(label: string, go: () => Promise<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        this.#calls.push({
          process,
          label,
          perform: async () => resolve(await go()),
          fail: () => reject(new UnavailableError("the read was not answered")),
          reject: () => reject(new ThrottledError("the read was throttled")),
        });
      });
    return {
      get: (key, options) =>
        read("get", async () => {
          const item = await table.get(key);
          return options?.consistent === false
            ? this.#perhapsStale(`${key.pk} ${key.sk}`, item)
            : item;
        }),
      query: (pk, options) =>
        read("query", async () => {
          const items = await table.query(pk, options);
          return options?.consistent === false ? this.#perhapsStale(pk, items) : items;
        }),
      scan: (limit, options) =>
        read("scan", async () => {
          const page = await table.scan(limit, options);
          const { after, segment } = options ?? {};
          const name = `scan ${segment?.index} ${after?.pk} ${after?.sk}`;
          return options?.consistent === false ? this.#perhapsStale(name, page) : page;
        }),
      due: (shard, options) => read("due", () => table.due(shard, options)),
      write: (write) =>
        new Promise<Outcome<Item>>((resolve, reject) => {
          this.#calls.push({
            process,
            label: write.step,
            write,
            perform: async () => table.write(write).then(resolve, reject),
            fail: () => resolve({ outcome: "unknown" }),
            reject: () => reject(new ThrottledError("the write was throttled")),
          });
        }),
    };
  }

  /** Returns the result of an eventually consistent read: perhaps that of an earlier one of the same item. */
  #perhapsStale<T>(name: string, found: T): T {
    if (this.#snapshots.has(name) && this.#chance(this.#weather.staleShare)) {
      this.#countFault("stale read");
      return this.#snapshots.get(name) as T;
    }
    this.#snapshots.set(name, found);
    return found;
  }

  #sleep(process: Process, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const call: Call = {
        process,
        label: "sleep",
        dueMs: this.nowMs + ms,
        perform: async () => resolve(),
        fail: () => resolve(),
        reject: () => resolve(),
      };
      this.#calls.push(call);
    });
  }

  #pick(): Call | undefined {
    const ready: Call[] = [];
    for (const call of this.#calls) {
      if (call.process.frozenSteps > 0) continue;
      if (call.dueMs !== undefined && call.dueMs > this.nowMs) continue;
      ready.push(call);
    }
    for (const process of this.#processes) if (process.frozenSteps > 0) process.frozenSteps--;
    const call = ready[Math.floor(this.random.fraction() * ready.length)];
    if (call && this.#chance(this.#weather.freezeShare)) {
      this.#countFault("frozen");
      // Mostly the time of a call or two of the others, so that they run in between.
      call.process.frozenSteps = Math.ceil(FREEZE_STEPS_MAX * this.random.fraction() ** 3);
      return undefined;
    }
    if (call) this.#calls.splice(this.#calls.indexOf(call), 1);
    return call;
  }

  async #carryOut(call: Call): Promise<void> {
    const { table } = this;
    const { process, write, label } = call;
    if (label === "sleep") return call.perform();
    if (isInBurst(call)) this.#withhold(call);
    else if (this.#chance(this.#weather.crashShare)) {
      const landed = write && this.#chance(0.5);
      this.#countFault(landed ? "crash after the call" : "crash before the call");
      if (landed) await table.write(write).catch(() => {});
      this.#kill(process);
    } else if (write && this.#chance(this.#silentShare(label))) {
      this.#countFault("relentless");
      await this.#keepSilent(call, write, this.#weather.relentless?.landedShare ?? 0, 0.1);
    } else if (write && this.#chance(this.#weather.unknownShare)) {
      await this.#keepSilent(call, write, 0.45, 0.3);
    } else if (!write && this.#chance(this.#weather.unansweredShare)) {
      this.#beginBurst(process, "read unanswered");
      this.#countFault("read unanswered");
      call.fail();
    } else if (this.#chance(this.#weather.busyShare)) {
      this.#beginBurst(process, "busy");
      this.#countFault("busy");
      call.reject();
    } else {
      if (write && this.#chance(this.#weather.twiceShare)) {
        this.#countFault("delivered twice");
        await table.write(write).catch(() => {});
      }
      await call.perform();
    }
    this.count(`call: ${label}`);
    this.onStep(`${process.name} ${label}`, { nowMs: this.nowMs, skewMs: process.skewMs });
  }

  /** Begins a burst, at times, where functions try again. */
  #beginBurst(process: Process, fault: BurstFault): void {
    const { burstShare } = this.#weather;
    if (burstShare === undefined || !this.#chance(burstShare)) return;
    this.#countFault("burst");
    const more = BURST_CALLS_MAX - CALL_TRIES_MAX;
    process.burst = {
      fault,
      calls: CALL_TRIES_MAX - 1 + Math.floor((more + 1) * this.random.fraction()),
    };
  }

  /** Answers a call as the burst of its process says. */
  #withhold({ process, ...call }: Call): void {
    if (!process.burst) return;
    process.burst.calls--;
    if (process.burst.fault === "busy") call.reject();
    else call.fail();
  }

  #silentShare(step: string): number {
    const { relentless } = this.#weather;
    if (!relentless?.steps.includes(step)) return 0;
    const sinceMs = this.nowMs - STARTED_MS;
    const isTime = relentless.fromMs <= sinceMs && sinceMs < relentless.untilMs;
    return isTime ? relentless.silentShare : 0;
  }

  /** Carries out a write, or not, without telling its author the outcome. */
  async #keepSilent(
    { process, fail }: Call,
    write: Write,
    landedShare: number,
    lateShare: number,
  ): Promise<void> {
    const { table } = this;
    const fate = this.random.fraction();
    if (fate < landedShare) {
      this.#countFault("answer lost");
      await table.write(write).catch(() => {});
    } else if (fate < landedShare + lateShare) {
      this.#countFault("request late");
      this.#late.push({ process, land: () => table.write(write).catch(() => {}) });
    } else this.#countFault("request lost");
    fail();
  }

  #kill(process: Process): void {
    process.dead = true;
    for (let i = this.#calls.length - 1; i >= 0; i--)
      if (this.#calls[i]?.process === process) this.#calls.splice(i, 1);
  }

  async #landOne(): Promise<void> {
    const [late] = this.#late.splice(Math.floor(this.random.fraction() * this.#late.length), 1);
    if (!late) return;
    this.#countFault("late request landed");
    await late.land();
    this.onStep("late", { nowMs: this.nowMs, skewMs: late.process.skewMs });
  }

  /**
   * Draws the time that passes in a step: mostly milliseconds, so that most requests end in time
   * among all the others. Sometimes it is so long that graces and cooldowns end.
   */
  #passing(): number {
    const { slowShare } = this.#weather;
    if (this.#chance(slowShare)) return 90_000 * this.random.fraction();
    return this.#chance(2.5 * slowShare)
      ? 15_000 * this.random.fraction()
      : 20 * this.random.fraction();
  }

  #chance(share: number): boolean {
    return this.random.fraction() < share;
  }

  /**
   * Runs an act of a client, which goes on after an error. The protocol settles what the client
   * then holds.
   */
  async trying<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      this.#countError(error);
      return undefined;
    }
  }

  #raise(): void {
    for (const error of this.#errors.splice(0)) this.#countError(error);
  }

  /**
   * Counts an error that a walk may end with, because it is an answer. Any other error is a bug of
   * the walk.
   */
  #countError(error: unknown): void {
    const name = error instanceof Error ? error.name : "";
    if (!this.#answers.has(name)) throw error;
    this.count(`error: ${name}`);
  }
}

/** Returns true if the burst of its process concerns a call: throttling concerns all of them, silence the reads. */
const isInBurst = ({ process: { burst }, write }: Call): boolean =>
  burst !== undefined && burst.calls > 0 && (burst.fault === "busy" || write === undefined);

/**
 * Waits until every promise that can continue has continued. A tick comes after all of them, and
 * needs no turn of the event loop.
 */
const quiescence = () => new Promise<void>((resolve) => process.nextTick(resolve));
