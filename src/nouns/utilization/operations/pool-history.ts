import type { Rejection } from "../../../base/outcome.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { poolNamed } from "../../pool/configuration.ts";
import type { Pool } from "../../pool/pool.ts";
import { exhaustedAtMs } from "../forecast.ts";
import type { PoolUsage } from "../pool-usage.ts";

/** The use of a pool over time, as passes of `reclaim` counted it. */
export interface PoolHistory {
  readonly pool: Pool;
  /** Absent until the first pass over the pool is recorded. */
  readonly usage: PoolUsage | undefined;
  /** The forecast; absent if there is none. */
  readonly exhaustedAtMs: number | undefined;
}

/** Returns the use of a pool over time. @throws {CorruptItemError} if its usage cannot be read */
export async function poolHistory(
  { store }: Context,
  { space, name }: { readonly space: string; readonly name: string },
): Promise<PoolHistory | Rejection> {
  const pool = poolNamed(await store.readSpace(space), name);
  if (!pool) return notFound(space, "pool", name);
  const usage = await store.readPoolUsage(space, pool.id);
  return { pool, usage, exhaustedAtMs: usage && exhaustedAtMs(usage.samples) };
}
