import type { Context as LambdaContext } from "aws-lambda";
import * as v from "valibot";
import { platItself } from "../../base/actor.ts";
import { SHARDS } from "../../base/limits.ts";
import { CorruptItemError, TableFrozenError } from "../../base/outcome.ts";
import type { Connect, Context } from "../../kernel/core/context.ts";
import { logger, publish } from "../http/logger.ts";
import { shortened } from "../schema/schema.ts";

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

/**
 * Carries out a run for which no caller waits. Lambda repeats it if it throws.
 *
 * @param requestId the id of the invocation, for the log
 * @throws {FailedRunError} in place of any error, which is a log line by then
 */
export async function orFailed<T>(requestId: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    logger.error("failed", { requestId, error });
    throw new FailedRunError();
  }
}

/** Replaces the error of a run. Lambda writes a thrown error into the log, with its message. */
class FailedRunError extends Error {
  override readonly name = "FailedRunError";

  constructor() {
    super("the run failed; the line before this one has the reason");
  }
}

/** The part of the table's guard that a run needs. */
export interface Guard {
  /** @throws {TableFrozenError} if the table serves no write */
  assertServing(): Promise<void>;
}

/**
 * Carries out a run unless the table is frozen. Then it writes a log line and a metric, from which the alarm comes.
 *
 * @param guard that of the table; nothing for a table without one
 * @returns what the run returns; nothing if the table is frozen
 */
export async function unlessFrozen<T>(
  guard: Guard | undefined,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    await guard?.assertServing();
    return await run();
  } catch (error) {
    if (!(error instanceof TableFrozenError)) throw error;
    logger.warn("frozen", { why: error.message });
    publish({}, { TableFrozen: 1 });
    return undefined;
  }
}

interface ScheduledRunDone {
  readonly failures: readonly unknown[];
  /** The age of the oldest item that was due and waited for the run; absent if the run looks at none. */
  readonly oldestDueSeconds?: number;
}

/** The functions by what their runs did, as the log says it. */
const RUNS = { reclaimed: "reclaim", repaired: "repair", worked: "work", probed: "probe" } as const;

/**
 * Logs a scheduled run, and publishes its heartbeat. Failures on the way are a warning, because the run continued.
 */
export function logScheduledRun(
  name: keyof typeof RUNS,
  { failures, ...done }: ScheduledRunDone,
): void {
  if (failures.length === 0) logger.info(name, { ...done });
  else logger.warn(name, { ...done, failed: failures.length, error: failures[0] });
  publish({ run: RUNS[name] }, { Heartbeat: 1, OldestDue: done.oldestDueSeconds });
  const unreadable = failures.filter((failure) => failure instanceof CorruptItemError).length;
  if (unreadable > 0) publish({}, { UnreadableItems: unreadable });
}
