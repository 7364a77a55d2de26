import type { Context } from "../allocator/core/context.ts";
import { openTable } from "../store/table-format.ts";
import { contextOf, type Time, wire, wireHistory } from "../wiring.ts";
import { readConsole } from "./console.ts";
import { deleteExpired, HISTORY_KEPT_MS, Publishing } from "./publishing.ts";
import { type Door, type Serving, serve } from "./server.ts";
import { openStorage, type StorageOptions } from "./storage.ts";
import { every } from "./timers.ts";

export interface PlatOptions extends Door {
  readonly storage: StorageOptions;
  readonly reclaimSeconds: number;
  readonly repairSeconds: number;
  readonly workSeconds: number;
}

/** All of Plat in this process. */
export interface Plat {
  readonly url: string;
  /** A sentence about where the data is history. */
  readonly sentence: string;
  readonly context: Context;
  /** Resolves with a sentence when the data is permanently unavailable. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

/** As long as Lambda waits for changes of the stream. */
const PUBLISH_SECONDS = 1;
const EXPIRY_SECONDS = 3_600;

/**
 * Starts the table, wires the functions to it, and serves them as API Gateway and EventBridge Scheduler do.
 *
 * @param time the clock of the functions; that of the machine if absent
 */
export async function startPlat(options: PlatOptions, time?: Time): Promise<Plat> {
  const storage = await openStorage(options.storage);
  const context = wire(storage.table, contextOf(storage.table, time));
  const { history, feed, trail } = storage;
  wireHistory(feed && { table: history, keptMs: HISTORY_KEPT_MS, publishes: true });
  // Loaded here, because a function connects to its table when it is loaded.
  const { HANDLERS, SCHEDULED_RUNS } = await import("./functions.ts");
  let serving: Serving;
  try {
    await openTable(storage.table);
    serving = await serve(HANDLERS, { console: readConsole(), ...options });
  } catch (error) {
    await storage.stop();
    throw error;
  }
  const publishing =
    feed && new Publishing({ feed, history, trail, store: context.store, now: context.now });
  const timers = [
    every(options.reclaimSeconds, SCHEDULED_RUNS.reclaim),
    every(options.repairSeconds, SCHEDULED_RUNS.repair),
    every(options.workSeconds, SCHEDULED_RUNS.work),
    every(EXPIRY_SECONDS, () => deleteExpired(history, context.now())),
    ...(publishing ? [every(PUBLISH_SECONDS, () => publishing.run())] : []),
  ];
  return {
    url: serving.url,
    sentence: storage.sentence,
    context,
    lost: storage.lost,
    async stop() {
      await Promise.all([serving.stop(), ...timers.map((timer) => timer.stop())]);
      await storage.stop();
    },
  };
}
