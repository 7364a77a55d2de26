import type { Context } from "../allocator/core/context.ts";
import { openTable } from "../store/format.ts";
import { repeating, type Surroundings, wire, wireHistory } from "../wiring.ts";
import { HISTORY_KEPT_MS, type Publisher } from "./publishing.ts";
import { type Door, readConsole, type Serving, serve } from "./server.ts";
import { openStorage, type Storage, type StorageOptions } from "./storage.ts";
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

/**
 * Starts the table, wires the functions to it, and serves them as API Gateway and EventBridge Scheduler do.
 *
 * @param surroundings of the functions; those of the machine unless they are passed in
 */
export async function startPlat(
  options: PlatOptions,
  surroundings?: Partial<Surroundings>,
): Promise<Plat> {
  return startOver(await openStorage(options.storage), options, surroundings);
}

/** Does the same over storage that is open. It closes the storage at the end, and if it cannot start. */
export async function startOver(
  storage: Storage,
  options: Omit<PlatOptions, "storage">,
  surroundings?: Partial<Surroundings>,
): Promise<Plat> {
  const context = wire(storage.table, surroundings);
  // Loaded here, because a function connects to its table when it is loaded.
  const { HANDLERS, SCHEDULED_RUNS } = await import("./functions.ts");
  let publisher: Publisher | undefined;
  let serving: Serving;
  try {
    await openTable(repeating(storage.table, surroundings));
    publisher = storage.publish?.(context);
    wireHistory(
      publisher && { table: publisher.history, keptMs: HISTORY_KEPT_MS, publishes: true },
    );
    const { onDisk } = storage;
    serving = await serve(HANDLERS, {
      console: readConsole(),
      ...(onDisk && { onDisk }),
      ...options,
    });
  } catch (error) {
    await publisher?.stop();
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
    lost: Promise.race([storage.lost, ...(publisher ? [publisher.lost] : [])]),
    async stop() {
      await Promise.all([serving.stop(), ...timers.map((timer) => timer.stop())]);
      await publisher?.stop();
      await storage.stop();
    },
  };
}
