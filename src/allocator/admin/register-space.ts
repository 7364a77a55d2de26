import { type Context, fresh } from "../core/context.ts";
import { knownOutcome } from "./written.ts";

/**
 * Enters a space into the register, so that `reclaim` visits it. Whoever writes what the deletion of a space removes does so first:
 * the job that deletes the space then stops.
 *
 * @returns the revision of the entry
 */
export async function registerSpace(context: Context, space: string): Promise<string> {
  const revision = fresh(context);
  await knownOutcome(context.store.registerSpace(space, revision));
  return revision;
}
