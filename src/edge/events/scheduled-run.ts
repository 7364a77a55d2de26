import * as v from "valibot";
import { shortened } from "../../contract/schema/schema.ts";
import { SHARDS } from "../../domain/limits.ts";

const scheduledRun = v.strictObject({
  shard: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(SHARDS - 1)),
});

/**
 * Reads the shard of a scheduled run from the event of its schedule.
 *
 * @throws {Error} if the event has no shard; the message has the event, and what it must be
 */
export function shardOfRun(event: unknown): number {
  const { success, output } = v.safeParse(scheduledRun, event);
  if (success) return output.shard;
  throw new Error(
    `the event is ${JSON.stringify(shortened(event))}; it must be {"shard": n} with n from 0 to ${SHARDS - 1}`,
  );
}
