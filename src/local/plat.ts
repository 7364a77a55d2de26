import type { Context } from "../allocator/core/context.ts";
import { openTable } from "../store/table-format.ts";
import { wire } from "../wiring.ts";
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
  /** A sentence about where the data is kept. */
  readonly sentence: string;
  readonly context: Context;
  /** Resolves with a sentence when the data is permanently unavailable. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

/** Starts the table, wires the functions to it, and serves them as API Gateway and EventBridge Scheduler do. */
export async function startPlat(options: PlatOptions): Promise<Plat> {
  const storage = await openStorage(options.storage);
  const context = wire(storage.table);
  // Loaded here, because a function connects to its table when it is loaded.
  const { HANDLERS, SCHEDULED_RUNS } = await import("./functions.ts");
  let serving: Serving;
  try {
    await openTable(storage.table);
    serving = await serve(HANDLERS, options);
  } catch (error) {
    await storage.stop();
    throw error;
  }
  const timers = [
    every(options.reclaimSeconds, SCHEDULED_RUNS.reclaim),
    every(options.repairSeconds, SCHEDULED_RUNS.repair),
    every(options.workSeconds, SCHEDULED_RUNS.work),
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
