import { type Context, fresh } from "../core/context.ts";
import { knownOutcome } from "./written.ts";

/** Enters a space into the register, so that `reclaim` visits it. */
export async function registerSpace(context: Context, space: string): Promise<void> {
  await knownOutcome(context.store.registerSpace(space, fresh(context)));
}
