import { type Actor, platItself } from "../../src/base/actor.ts";
import { type Deadline, noWrites } from "../../src/base/outcome.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import type { Random } from "../../src/kernel/values/fresh.ts";
import { assertInTime, type Carried, deadlineFromNow } from "../../src/store/stack.ts";
import { asAsked } from "../../src/table/in-memory-table.ts";
import type { Item } from "../../src/table/item.ts";
import type { Table } from "../../src/table/table.ts";
import { contextsOver } from "../../src/wiring.ts";
import { seededRandom } from "../simulation/random.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { MEMORY_MB, PASS_TIMEOUT_MS, processorMs, REQUEST_TIMEOUT_MS } from "./model.ts";
import type { Answer, ModelledTable } from "./modelled-table.ts";

/** The result of one execution of a function. */
export type Execution<T> = Spent &
  (
    | { readonly ended: "answered"; readonly value: T }
    | { readonly ended: "failed"; readonly error: unknown }
    /** Lambda stopped the execution, so its caller got no answer. */
    | { readonly ended: "timedOut" }
  );

interface Spent {
  /** The calls to the table. Each page of a Query counts as one. */
  readonly calls: number;
  readonly ms: number;
}

/** The environment of the functions. */
export interface Cloud {
  readonly clock: VirtualClock;
  readonly table: ModelledTable;
  /** The memory of each function; `MEMORY_MB` by default. */
  readonly memoryMb?: number;
  /**
   * The number of processes so far. It seeds the draws of the next process, so that a scene is the
   * same each time.
   */
  readonly processes: { count: number };
  /** The duration of each run of a schedule, in milliseconds. */
  readonly scheduledRuns: number[];
  readonly sabotage?: Sabotage;
}

/** A fault under the product, which shows that a fact can fail. */
export interface Sabotage {
  /** The fault, as a sentence. */
  readonly called: string;
  /** Returns the table with the fault, once for each process of a function. */
  readonly table?: (table: Table) => Table;
  /** Returns the time that the product reads. */
  readonly now?: (nowMs: number) => number;
}

const REQUEST_ID = "8f5a2c1e-3d47-4b9a-9c60-1f2e3d4c5b6a";
/** The author of requests, as long as the session of a role usually is. A deletion costs a further call to name it. */
const CALLER: Actor = {
  principal: "arn:aws:sts::123456789012:assumed-role/prod-nodes/i-0a1b2c3d4e5f67890",
  requestId: REQUEST_ID,
  sourceIp: "192.0.2.10",
};
const PLAT: Actor = { principal: platItself("scheduled"), requestId: REQUEST_ID };

/**
 * One function as Lambda runs it: wired as `src/wiring.ts` wires it, one execution at a time,
 * stopped at its time-out. It keeps its caches from one execution to the next, and loses them when
 * Lambda stops it.
 */
export class LambdaFunction {
  readonly #cloud: Cloud;
  #instance: Instance;

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
    this.#instance = new Instance(cloud);
  }

  /** Answers one request. Near the time-out the function begins no further call. */
  request<T>(work: (context: Context) => Promise<T>): Promise<Execution<T>> {
    const { clock } = this.#cloud;
    const deadline = deadlineFromNow(() => clock.nowMs);
    const carried = { actor: CALLER, deadline, counts: noWrites() };
    return this.#execute(work, REQUEST_TIMEOUT_MS, carried);
  }

  /** Executes one run of a schedule. */
  async run<T>(work: (context: Context) => Promise<T>): Promise<Execution<T>> {
    const ended = await this.#execute(work, PASS_TIMEOUT_MS, { actor: PLAT });
    this.#cloud.scheduledRuns.push(ended.ms);
    return ended;
  }

  async #execute<T>(
    work: (context: Context) => Promise<T>,
    timeoutMs: number,
    carried: Carried,
  ): Promise<Execution<T>> {
    const { clock } = this.#cloud;
    const instance = this.#instance;
    const startedAtMs = clock.nowMs;
    instance.calls = 0;
    const ended = await Promise.race([
      work(instance.contextOf(carried)).then(
        (value) => ({ ended: "answered", value }) as const,
        (error: unknown) => ({ ended: "failed", error }) as const,
      ),
      clock.sleep(timeoutMs).then(() => ({ ended: "timedOut" }) as const),
    ]);
    if (ended.ended === "timedOut") {
      instance.isDead = true;
      this.#instance = new Instance(this.#cloud);
    }
    return { ...ended, calls: instance.calls, ms: clock.nowMs - startedAtMs };
  }
}

/** A process of a function, from its cold start on. */
class Instance {
  isDead = false;
  calls = 0;
  readonly #cloud: Cloud;
  readonly #contexts: ReturnType<typeof contextsOver>;
  readonly #random: Random;
  /** That of the current execution. */
  #deadline: Deadline | undefined;
  /** The time until which its one processor is busy with an answer. Later answers wait for it. */
  #busyUntilMs = 0;

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
    const { clock, sabotage } = cloud;
    const table = this.#table();
    const sleep = (ms: number) => this.#alive(() => clock.sleep(ms));
    const told = sabotage?.now ?? ((nowMs: number) => nowMs);
    const now = () => told(Math.floor(clock.nowMs));
    this.#random = seededRandom(cloud.processes.count++);
    this.#contexts = contextsOver(sabotage?.table?.(table) ?? table, { now, sleep });
  }

  /** Returns the context of the next execution. */
  contextOf(carried: Carried): Context {
    this.#deadline = carried.deadline;
    return { ...this.#contexts(carried), random: this.#random };
  }

  #table(): Table {
    const { table } = this.#cloud;
    return {
      get: (key, options) => this.#call(() => table.get(key, options)),
      query: async (pk, options = {}) => {
        const items: Item[] = [];
        for (let rest = options; ; ) {
          if (this.#deadline) assertInTime(this.#deadline);
          const page = await this.#call(() => table.query(pk, rest));
          items.push(...page.items);
          const last = page.items.at(-1);
          if (!page.more || !last || items.length === options.limit) return asAsked(items, options);
          const { limit } = options;
          rest = {
            ...options,
            after: last.sk,
            ...(limit !== undefined && { limit: limit - items.length }),
          };
        }
      },
      scan: (limit, options) => this.#call(() => table.scan(limit, options)),
      due: (shard, options) => this.#call(() => table.due(shard, options)),
      write: (write) => this.#call(() => table.write(write)),
    };
  }

  /** Waits for a call. The call of a dead function never answers. */
  async #alive<T>(wait: () => Promise<T>): Promise<T> {
    if (this.isDead) return new Promise<T>(() => {});
    const value = await wait();
    return this.isDead ? new Promise<T>(() => {}) : value;
  }

  #call<T>(call: () => Promise<Answer<T>>): Promise<T> {
    return this.#alive(async () => {
      const { clock, memoryMb = MEMORY_MB } = this.#cloud;
      this.calls++;
      const { value, bytes } = await call();
      this.#busyUntilMs = Math.max(this.#busyUntilMs, clock.nowMs) + processorMs(bytes, memoryMb);
      await clock.until(this.#busyUntilMs);
      return value;
    });
  }
}
