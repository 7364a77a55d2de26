import { noWrites } from "../../src/base/outcome.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { WarmCache } from "../../src/kernel/core/warm-cache.ts";
import {
  type Carried,
  type Deadline,
  deadlineFromNow,
  deadlineSleep,
  makeStore,
  storeOver,
} from "../../src/store/stack.ts";
import { KnownKeys } from "../../src/table/format.ts";
import type { Surroundings } from "./scheduler.ts";

/** The layers between the functions of a run and its table. */
export interface Layers {
  /** True if they are all those of a deployed function (`src/store/stack.ts`); false for the calls of the store alone. */
  readonly areWhole: boolean;
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

/** The maker of the contexts of requests, by the context of their process. */
const makers = new WeakMap<Context, () => Context>();

/**
 * Returns the context of one request, with a deadline if the run has deadlines. A process that acts as a client calls the allocator
 * through it. A scheduled run has no deadline, and acts in the context of its process.
 */
export const requestOf = (process: Context): Context => makers.get(process)?.() ?? process;

/** Returns the context of a process that has just started, over these layers. */
export function contextOver({ areWhole, haveDeadlines }: Layers, own: Own): Context {
  const { table, name, random, now, sleep, pauses } = own;
  const plain = { random, now, sleep, cache: new WarmCache() };
  if (!areWhole) return { ...plain, store: makeStore(table) };
  const shared = { patience: { random: pauses, sleep }, keys: new KnownKeys() };
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
