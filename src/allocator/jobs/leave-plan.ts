import type { Job } from "../../domain/job.ts";
import { SWAP_TRIES_MAX } from "../../domain/limits.ts";
import { ContentionError } from "../../domain/outcome.ts";
import { type Context, fresh } from "../core/context.ts";

/** Takes the range of a job's pool out of the address plan, by the pool's id: an entry of another pool of that name stays. */
export async function leavePlan(
  context: Context,
  { space, poolId }: Pick<Job, "space" | "poolId">,
): Promise<void> {
  for (let attempt = 0; attempt < SWAP_TRIES_MAX; attempt++) {
    const plan = await context.store.readPlan(space);
    const others = plan.entries.filter(({ id }) => id !== poolId);
    if (others.length === plan.entries.length) return;
    await context.store.changePlan(plan, others, fresh(context));
  }
  throw new ContentionError("other pools of this space are being created at the same time");
}
