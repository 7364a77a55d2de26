import { freshId, type Random } from "../../domain/fresh.ts";
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

/** Returns a fresh token, epoch, revision or id. */
export const fresh = (context: Context): string => freshId(context.now(), context.random);
