import type { AddressSet } from "../../domain/address-set.ts";
import type { Rejection } from "../../domain/outcome.ts";
import type { Pool } from "../../domain/pool.ts";
import { sharedAddresses } from "../../domain/pool-overlap.ts";
import type { Context } from "../core/context.ts";
import { beginShrink } from "./begin-job.ts";

/**
 * Returns the rejection of a ranged pool that would share addresses with another pool; otherwise nothing. If the other pool only keeps
 * them until a job frees them, the job is there afterwards: a crash may have left none.
 */
export async function rejectShared(
  context: Context,
  pool: Pool,
  wanted: AddressSet,
  pools: readonly Pool[],
): Promise<Rejection | undefined> {
  const shared = sharedAddresses(pool, wanted, pools);
  if (shared?.shrinking) await beginShrink(context, shared.shrinking);
  return shared?.rejection;
}
