import type { Random } from "../../src/domain/fresh.ts";
import type { Outcome } from "../../src/domain/outcome.ts";
import { Busy, Unavailable } from "../../src/domain/outcome.ts";
import type { MemoryTable } from "../../src/store/memory.ts";
import type { Item, Table, Write } from "../../src/store/table.ts";

/** How often things go wrong, per call, and what else the weather brings. */
export interface Weather {
  /** A write whose author does not learn its outcome: done, never done, or done much later. */
  readonly unknownShare: number;
  /** A read that is not answered. */
  readonly unansweredShare: number;
  /** The process dies with the call. */
  readonly crashShare: number;
  /** The process stands still for a while. */
  readonly freezeShare: number;
  /** The database refuses for the moment. */
  readonly busyShare: number;
  /** An eventually consistent read shows what was there a while ago. */
  readonly staleShare: number;
}

export const FAIR: Weather = {
  unknownShare: 0,
  unansweredShare: 0,
  crashShare: 0,
  freezeShare: 0,
  busyShare: 0,
  staleShare: 0,
};

export const STORMY: Weather = {
  unknownShare: 0.05,
  unansweredShare: 0.01,
  crashShare: 0.015,
  freezeShare: 0.01,
  busyShare: 0.005,
  staleShare: 0.3,
};

/** A call that a process has made and nobody has answered. */
interface Call {
  readonly process: Process;
  readonly label: string;
  readonly write?: Write;
  /** Carries the call out and answers it. */
  perform(): Promise<void>;
  /** Answers it without carrying it out. */
  fail(): void;
  /** Answers it with the database's refusal. */
  refuse(): void;
  /** Not before this time: a process that sleeps. */
  readonly dueMs?: number;
}

interface Process {
  readonly name: string;
  frozenSteps: number;
  dead: boolean;
  done: boolean;
}

const FREEZE_STEPS = 250;
const STEPS_MAX = 20_000;

/**
 * Runs several real walks over one in-memory table. Nothing in the walks is replaced but what they are given: every call to
 * the database, and every sleep, waits here until the scheduler picks it. Each pick is drawn from the seed.
 */
export class Scheduler {
  readonly table: MemoryTable;
  readonly random: Random;
  nowMs = 1_700_000_000_000;
  /** How often each thing happened, for the coverage that a campaign prints. */
  readonly seen = new Map<string, number>();
  /** Called after every call that was carried out. */
  onStep: (label: string) => void = () => {};

  readonly #weather: Weather;
  readonly #calls: Call[] = [];
  readonly #late: (() => Promise<unknown>)[] = [];
  readonly #processes: Process[] = [];
  readonly #errors: unknown[] = [];
  readonly #snapshots = new Map<string, readonly Item[]>();

  constructor(table: MemoryTable, random: Random, weather: Weather) {
    this.table = table;
    this.random = random;
    this.#weather = weather;
  }

  /** Starts a process; it makes its first call at once. An error it ends with is an answer, not a failure of the run. */
  spawn(
    name: string,
    body: (process: { table: Table; sleep(ms: number): Promise<void> }) => Promise<unknown>,
  ): void {
    const process: Process = { name, frozenSteps: 0, dead: false, done: false };
    this.#processes.push(process);
    const ended = () => {
      process.done = true;
    };
    body({ table: this.#tableOf(process), sleep: (ms) => this.#sleep(process, ms) }).then(
      ended,
      (error: unknown) => {
        ended();
        this.#errors.push(error);
      },
    );
  }

  /** Runs until every process is done or dead, then lets everything late land. */
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

  #tableOf(process: Process): Table {
    const { table } = this;
    const read = <T>(label: string, go: () => Promise<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        this.#calls.push({
          process,
          label,
          perform: async () => resolve(await go()),
          fail: () => reject(new Unavailable("the read was not answered")),
          refuse: () => reject(new Busy("the read was refused")),
        });
      });
    return {
      get: (key) => read("get", () => table.get(key)),
      query: (pk, options) =>
        read("query", async () => {
          const items = await table.query(pk, options);
          return options?.consistent === false ? this.#perhapsStale(pk, items) : items;
        }),
      scan: (limit, after) => read("scan", () => table.scan(limit, after)),
      due: (shard, untilMs, limit) => read("due", () => table.due(shard, untilMs, limit)),
      write: (write) =>
        new Promise<Outcome<Item>>((resolve, reject) => {
          this.#calls.push({
            process,
            label: write.step,
            write,
            perform: async () => table.write(write).then(resolve, reject),
            fail: () => resolve({ outcome: "unknown" }),
            refuse: () => reject(new Busy("the write was refused")),
          });
        }),
    };
  }

  /** What an eventually consistent read may show: the partition as an earlier read of it saw it. */
  #perhapsStale(pk: string, items: readonly Item[]): readonly Item[] {
    const before = this.#snapshots.get(pk);
    if (before && this.#chance(this.#weather.staleShare)) {
      this.count("fault: stale read");
      return before;
    }
    this.#snapshots.set(pk, items);
    return items;
  }

  #sleep(process: Process, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const call: Call = {
        process,
        label: "sleep",
        dueMs: this.nowMs + ms,
        perform: async () => resolve(),
        fail: () => resolve(),
        refuse: () => resolve(),
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
      this.count("fault: frozen");
      call.process.frozenSteps = FREEZE_STEPS;
      return undefined;
    }
    if (call) this.#calls.splice(this.#calls.indexOf(call), 1);
    return call;
  }

  async #carryOut(call: Call): Promise<void> {
    const { table } = this;
    const { process, write, label } = call;
    if (label === "sleep") return call.perform();
    if (this.#chance(this.#weather.crashShare)) {
      const landed = write && this.#chance(0.5);
      this.count(landed ? "fault: crash after the call" : "fault: crash before the call");
      if (landed) await table.write(write).catch(() => {});
      this.#kill(process);
    } else if (write && this.#chance(this.#weather.unknownShare)) {
      const fate = this.random.fraction();
      if (fate < 0.45) {
        this.count("fault: answer lost");
        await table.write(write).catch(() => {});
      } else if (fate < 0.75) {
        this.count("fault: request late");
        this.#late.push(() => table.write(write).catch(() => {}));
      } else this.count("fault: request lost");
      call.fail();
    } else if (!write && this.#chance(this.#weather.unansweredShare)) {
      this.count("fault: read unanswered");
      call.fail();
    } else if (this.#chance(this.#weather.busyShare)) {
      this.count("fault: busy");
      call.refuse();
    } else await call.perform();
    this.count(`call: ${label}`);
    this.onStep(`${process.name} ${label}`);
  }

  #kill(process: Process): void {
    process.dead = true;
    for (let i = this.#calls.length - 1; i >= 0; i--)
      if (this.#calls[i]?.process === process) this.#calls.splice(i, 1);
  }

  async #landOne(): Promise<void> {
    const [land] = this.#late.splice(Math.floor(this.random.fraction() * this.#late.length), 1);
    this.count("fault: late request landed");
    await land?.();
    this.onStep("late");
  }

  /**
   * Mostly milliseconds, so that most requests end within their time among all others; now and then so long that graces and
   * cooldowns run out under somebody's hands.
   */
  #passing(): number {
    if (this.#chance(0.006)) return 90_000 * this.random.fraction();
    return this.#chance(0.015) ? 15_000 * this.random.fraction() : 20 * this.random.fraction();
  }

  #chance(share: number): boolean {
    return this.random.fraction() < share;
  }

  /** Errors that a walk may end with are answers; anything else is a bug in it. */
  #raise(): void {
    for (const error of this.#errors.splice(0)) {
      const name = error instanceof Error ? error.name : "";
      if (!["Contended", "Busy", "Unavailable"].includes(name)) throw error;
      this.count(`error: ${name}`);
    }
  }
}

/** Every promise that can go on has gone on. */
const quiescence = () => new Promise((resolve) => setImmediate(resolve));
