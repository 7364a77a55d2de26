import type { Context as LambdaContext } from "aws-lambda";
import * as v from "valibot";
import { platItself } from "../../base/actor.ts";
import { SHARDS } from "../../base/limits.ts";
import type { Connect, Context } from "../../kernel/core/context.ts";
import { shortened } from "../schema/schema.ts";
import { orFailed } from "./failed-run.ts";
import { type Guard, unlessFrozen } from "./frozen-run.ts";

/** The part of Lambda's context that a run needs; a run on a laptop has none. */
type Invocation = Partial<Pick<LambdaContext, "awsRequestId">>;

/**
 * Makes the handler of a scheduled run, which acts as the function itself. A run over a frozen table does nothing.
 *
 * @param name the name of the function
 * @param table.guard that of the table that the run uses; absent for a table without one
 * @returns a handler that throws `FailedRunError` if the run throws
 */
export function scheduledRun(
  name: string,
  { connect, guard }: { readonly connect: Connect; readonly guard?: Guard | undefined },
  run: (plat: Context, event: unknown) => Promise<void>,
) {
  return (event?: unknown, { awsRequestId = name }: Invocation = {}): Promise<void> =>
    orFailed(awsRequestId, async () => {
      const actor = { principal: platItself(name), requestId: awsRequestId };
      await unlessFrozen(guard, () => run(connect({ actor }).plat, event));
    });
}

const shardEvent = v.strictObject({
  shard: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(SHARDS - 1)),
});

/**
 * Reads the shard of a scheduled run from the event of its schedule.
 *
 * @throws {Error} if the event has no shard; the message has the event, and what it must be
 */
export function shardOfRun(event: unknown): number {
  const { success, output } = v.safeParse(shardEvent, event);
  if (success) return output.shard;
  throw new Error(
    `the event is ${JSON.stringify(shortened(event))}; it must be {"shard": n} with n from 0 to ${SHARDS - 1}`,
  );
}
