import { type Deadline, noWrites } from "../../src/base/outcome.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { WarmCache } from "../../src/kernel/core/warm-cache.ts";
import {
  type Carried,
  deadlineFromNow,
  deadlineSleep,
  makeStore,
  type Shared,
  storeOver,
} from "../../src/store/stack.ts";
import { KnownKeys } from "../../src/table/format.ts";
import { guardedTable } from "../../src/table/guarded-table.ts";
import type { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { TABLE_KEY } from "../../src/table/key.ts";
import type { Table } from "../../src/table/table.ts";
import type { Surroundings } from "./scheduler.ts";

/** The layers between the functions of a run and its table. */
export interface Layers {
  /** True if they are all those of a deployed function (`src/store/stack.ts`); false for the calls of the store alone. */
  readonly areWhole: boolean;
  /** False for a table without an id, such as that of a laptop. */
  readonly areGuarded: boolean;
  /**
   * True if requests have a deadline. They have none in a run whose time leaps by minutes, because a leap would end most
   * of them.
   */
  readonly haveDeadlines: boolean;
}

/** What a process of a run is made of. */
interface Own extends Surroundings, Pick<Context, "random"> {
  /** The principal of its writes. */
  readonly name: string;
  /** The pauses of its retries are drawn from here, so that its own draws stay as they are. */
  readonly pauses: Context["random"];
}

/** A table as the database names it, for the guard. */
export const IDENTITY = { region: "eu-central-1", id: "0b7e9a54-table", replicas: [] };

/** Returns the guard of a table that is as its register names it. */
export const guardOver = (table: Table, now: () => number) =>
  guardedTable(table, { identify: async () => IDENTITY, now });

/** Writes the id of a table into its register, which the guard compares. */
export function nameInRegister({ partitions }: InMemoryTable, id: string): void {
  const { pk, sk } = TABLE_KEY;
  const item = partitions.get(pk)?.get(sk) ?? { ...TABLE_KEY, f: 1, k: 2 };
  const register = { ...item, ids: { [IDENTITY.region]: id } };
  partitions.set(pk, new Map([[sk, register]]));
}

/** Returns the parts of the layers that all requests of a process share which has just started. */
export const sharedOver = (
  table: Table,
  now: () => number,
  patience: Shared["patience"],
): Shared => ({ patience, keys: new KnownKeys(), guard: guardOver(table, now) });

/** The maker of the contexts of requests, by the context of their process. */
const makers = new WeakMap<Context, () => Context>();

/**
 * Returns the context of one request, with a deadline if the run has deadlines. A process that acts as a client calls the allocator
 * through it. A scheduled run has no deadline, and acts in the context of its process.
 */
export const requestOf = (process: Context): Context => makers.get(process)?.() ?? process;

/** Returns the context of a process that has just started, over these layers. */
export function contextOver({ areWhole, areGuarded, haveDeadlines }: Layers, own: Own): Context {
  const { table, name, random, now, sleep, pauses } = own;
  const plain = { random, now, sleep, cache: new WarmCache() };
  if (!areWhole) return { ...plain, store: makeStore(table) };
  const all = sharedOver(table, now, { random: pauses, sleep });
  const shared = areGuarded ? all : { ...all, guard: undefined };
  const store = (deadline?: Deadline) => {
    const carried: Carried = { actor: { principal: name, requestId: name }, deadline };
    return storeOver(() => table, { ...carried, counts: noWrites() }, shared);
  };
  const context = { ...plain, store: store() };
  if (haveDeadlines)
    makers.set(context, () => {
      const deadline = deadlineFromNow(now);
      return { ...context, store: store(deadline), sleep: deadlineSleep(sleep, deadline) };
    });
  return context;
}
