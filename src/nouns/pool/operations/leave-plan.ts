import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import { type Context, fresh } from "../../../kernel/core/context.ts";
import type { Pool } from "../pool.ts";

/** A pool that was proven unused, and whether this proved that no block of its subnet is left. */
export interface Leaving {
  readonly pool: Pick<Pool, "space" | "id" | "subnetId">;
  readonly isWhole: boolean;
}

/**
 * Removes the range of a pool from the address plan, by the pool's id. An entry of another pool of the same name stays. So does the
 * last entry of a subnet whose blocks were not proven gone. The write is conditional on the plan, and thus on the other entries.
 *
 * @returns whether the pool was the last of its subnet: none joins the subnet from then on; nothing if the entry stays
 */
export async function leavePlan(
  context: Context,
  { pool: { space, id, subnetId }, isWhole }: Leaving,
): Promise<{ readonly isLast: boolean } | undefined> {
  return compareAndSwap<{ readonly isLast: boolean } | undefined>("the address plan", async () => {
    const plan = await context.store.readPlan(space);
    const others = plan.entries.filter((entry) => entry.id !== id);
    const isLast = !others.some((entry) => subnetId !== undefined && entry.subnetId === subnetId);
    if (others.length === plan.entries.length) return answer({ isLast });
    if (isLast && !isWhole) return answer(undefined);
    await context.store.changePlan(plan, others, fresh(context));
    // Only a plan that is read without the range proves that the range has left it.
    return RETRY;
  });
}
