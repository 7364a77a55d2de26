import type { Job } from "../../domain/job.ts";
import { compareAndSwap } from "../core/compare-and-swap.ts";
import { type Context, fresh } from "../core/context.ts";
import { answer, RETRY } from "../core/step.ts";

/**
 * Removes the range of a job's pool from the address plan, by the pool's id. An entry of another pool of the same name
 * stays.
 */
export async function leavePlan(
  context: Context,
  { space, poolId }: Pick<Job, "space" | "poolId">,
): Promise<void> {
  return compareAndSwap("the address plan", async () => {
    const plan = await context.store.readPlan(space);
    const others = plan.entries.filter(({ id }) => id !== poolId);
    if (others.length === plan.entries.length) return answer(undefined);
    await context.store.changePlan(plan, others, fresh(context));
    // Only a plan that is read without the range proves that the range has left it.
    return RETRY;
  });
}
