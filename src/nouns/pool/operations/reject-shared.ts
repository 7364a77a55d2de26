import type { Rejection } from "../../../base/outcome.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { AddressSet } from "../../../net/address-set.ts";
import { beginShrink } from "../../job/operations/begin-job.ts";
import { sharedAddresses } from "../overlap.ts";
import type { Pool } from "../pool.ts";

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
