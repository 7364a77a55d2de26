import type { Actor } from "../../base/actor.ts";
import type { Deadline, WriteCounts } from "../../base/outcome.ts";
import type { Random } from "../values/fresh.ts";
import type { Store } from "./store.ts";
import type { WarmCache } from "./warm-cache.ts";

/** All that a walk has besides its request. Nothing below this line reads a clock, a random source or the environment. */
export interface Context {
  readonly store: Store;
  readonly random: Random;
  readonly cache: WarmCache;
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** The contexts of one request or run. */
export interface Work {
  readonly plat: Context;
  /** The end of its time, which the calls of `plat` keep. Absent if no caller waits. */
  readonly deadline?: Deadline | undefined;
  /** Returns a context that keeps no write and no cache. */
  dryRun(): Context;
}

/** The origin of a request or run. */
interface Origin {
  /** The author of its writes, whom every item names. */
  readonly actor: Actor;
  /** True if a caller waits for it, so that its calls of the table end in time. A run has all the time of its function. */
  readonly isAwaited?: boolean;
  /** The deadline of the work that it is a part of. */
  readonly deadline?: Deadline | undefined;
  /** Its writes are counted into this. */
  readonly counts?: WriteCounts | undefined;
}

/** Makes what a request or run works with. */
export type Connect = (origin: Origin) => Work;
