import type { Context } from "../kernel/core/context.ts";
import { openTable } from "../table/format.ts";
import { repeating, type Surroundings, wiringOver } from "../wiring.ts";
import type { Functions } from "./functions.ts";
import { HISTORY_KEPT_MS, type Publisher } from "./publishing.ts";
import { type Door, readConsole, type Serving, serve } from "./server.ts";
import { openStorage, type Storage, type StorageOptions } from "./storage.ts";
import { every } from "./timers.ts";

export interface LocalPlatOptions extends Door {
  readonly storage: StorageOptions;
  readonly reclaimSeconds: number;
  readonly repairSeconds: number;
  readonly workSeconds: number;
}

/** All of Plat in this process. */
export interface LocalPlat {
  readonly url: string;
  /** A sentence about where the data is history. */
  readonly sentence: string;
  readonly context: Context;
  /** The runs that timers start; a test or a benchmark may start them too. */
  readonly scheduledRuns: Functions["scheduledRuns"];
  /** Resolves with a sentence when the data is permanently unavailable. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts the table, makes the functions over it, and serves them as API Gateway and EventBridge Scheduler do.
 *
 * @param surroundings of the functions; those of the machine unless they are passed in
 */
export async function startPlat(
  options: LocalPlatOptions,
  surroundings?: Partial<Surroundings>,
): Promise<LocalPlat> {
  return startWithStorage(await openStorage(options.storage), options, surroundings);
}

/** Does the same over storage that is open. It closes the storage at the end, and if it cannot start. */
export async function startWithStorage(
  storage: Storage,
  options: Omit<LocalPlatOptions, "storage">,
  surroundings?: Partial<Surroundings>,
): Promise<LocalPlat> {
  // Loaded here, because neither the help nor the twin of a deployment needs the functions.
  const { functionsOver } = await import("./functions.ts");
  const wiring = wiringOver(storage.table, surroundings);
  const context = wiring.context();
  let publisher: Publisher | undefined;
  let functions: Functions;
  let serving: Serving;
  try {
    await openTable(repeating(storage.table, surroundings));
    publisher = storage.publish?.(context);
    const history = publisher && {
      table: publisher.history,
      keptMs: HISTORY_KEPT_MS,
      publishes: true,
    };
    functions = functionsOver({ ...wiring, history: history && (() => history) });
    const { onDisk } = storage;
    serving = await serve(functions.handlers, {
      console: readConsole(),
      ...(onDisk && { onDisk }),
      ...options,
    });
  } catch (error) {
    await publisher?.stop();
    await storage.stop();
    throw error;
  }
  const { scheduledRuns } = functions;
  const timers = [
    every(options.reclaimSeconds, scheduledRuns.reclaim),
    every(options.repairSeconds, scheduledRuns.repair),
    every(options.workSeconds, scheduledRuns.work),
  ];
  return {
    url: serving.url,
    sentence: storage.sentence,
    context,
    scheduledRuns,
    lost: Promise.race([storage.lost, ...(publisher ? [publisher.lost] : [])]),
    async stop() {
      await Promise.all([serving.stop(), ...timers.map((timer) => timer.stop())]);
      await publisher?.stop();
      await storage.stop();
    },
  };
}
