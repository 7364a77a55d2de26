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
 * @param runner.guard that of the table that the run uses; absent for a table without one
 * @param run does it; without a result, the run has no line in the log and no heartbeat
 * @returns a handler that throws `FailedRunError` if the run throws
 */
export function scheduledRun(
  name: ScheduledName,
  { connect, guard }: Runner,
  run: (plat: Context) => Promise<ScheduledRunDone | undefined>,
) {
  return (_event?: unknown, { awsRequestId = name }: Invocation = {}): Promise<void> =>
    orFailed({ requestId: awsRequestId }, () =>
      unlessFrozen(guard, async () => {
        const done = await run(connectedAs(name, awsRequestId, connect));
        if (done) logScheduledRun(name, done);
      }),
    );
}

/**
 * Makes the handler of a scheduled run over the shards that its event names. They run side by side, each with the whole
 * time of a run. A shard that fails stops no other. The log has one line for all that ended, whose counts are sums.
 *
 * @param run goes through one shard
 * @returns a handler that throws `FailedRunError` if a shard failed, once all have ended
 */
export function shardedRun(
  name: ScheduledName,
  { connect, guard }: Runner,
  run: (plat: Context, shard: number) => Promise<ScheduledRunDone>,
) {
  return (event?: unknown, { awsRequestId = name }: Invocation = {}): Promise<void> => {
    const requestId = awsRequestId;
    return orFailed({ requestId }, () =>
      unlessFrozen(guard, async () => {
        const plat = connectedAs(name, requestId, connect);
        const ended = await Promise.allSettled(
          shardsOfRun(event).map((shard) => orFailed({ requestId, shard }, () => run(plat, shard))),
        );
        const done = ended.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
        if (done.length > 0) logScheduledRun(name, together(done), done.length);
        const reasons = ended.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
        const frozen = reasons.find((reason) => reason instanceof TableFrozenError);
        if (frozen) throw frozen;
        if (reasons.length > 0) throw new FailedRunError();
      }),
    );
  };
}

type Runner = { readonly connect: Connect; readonly guard?: RunGuard | undefined };

const connectedAs = (name: ScheduledName, requestId: string, connect: Connect): Context =>
  connect({ actor: { principal: platItself(name), requestId } }).plat;

const shardsEvent = v.strictObject({
  shards: v.pipe(
    v.array(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(SHARDS - 1))),
    v.minLength(1),
    v.check((shards) => new Set(shards).size === shards.length),
  ),
});

/**
 * Reads the shards of a scheduled run from the event of its schedule.
 *
 * @throws {Error} if the event has no shards; the message has the event, and what it must be
 */
export function shardsOfRun(event: unknown): readonly number[] {
  const { success, output } = v.safeParse(shardsEvent, event);
  if (success) return output.shards;
  throw new Error(
    `the event is ${JSON.stringify(shortened(event))}; it must be {"shards": [n, …]} with different n from 0 to ${SHARDS - 1}`,
  );
}

/**
 * Carries out a run for which no caller waits. If it throws, it comes again as its trigger is set up.
 *
 * @param which the id of the invocation, and its shard if it has several, for the log
 * @throws {FailedRunError} in place of any other error, which is a log line by then
 * @throws {TableFrozenError} for `unlessFrozen`, which tells it
 */
export async function orFailed<T>(
  which: { readonly requestId: string; readonly shard?: number },
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof FailedRunError || error instanceof TableFrozenError) throw error;
    logger.error("failed", { ...which, error });
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
export interface RunGuard {
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
  guard: RunGuard | undefined,
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

/** The counts of a run, with the failures after which it went on. */
export interface ScheduledRunDone {
  readonly failures: readonly unknown[];
  /** The age of the oldest item that was due and waited for the run; absent if the run looks at none. */
  readonly oldestDueSeconds?: number;
}

/** The words of the log for what the runs of a function did. */
const SAID = { reclaim: "reclaimed", repair: "repaired", work: "worked", probe: "probed" } as const;
type ScheduledName = keyof typeof SAID;

/** Returns what the runs of some shards did together: sums, the failures of all, and the oldest item that was due. */
function together(done: readonly ScheduledRunDone[]): ScheduledRunDone {
  const sums: Record<string, number> = {};
  for (const { failures: _, oldestDueSeconds: __, ...counts } of done)
    for (const [name, count] of Object.entries(counts))
      sums[name] = (sums[name] ?? 0) + Number(count);
  const oldest = done.flatMap(({ oldestDueSeconds }) => oldestDueSeconds ?? []);
  return {
    ...sums,
    ...(oldest.length > 0 && { oldestDueSeconds: Math.max(...oldest) }),
    failures: done.flatMap(({ failures }) => failures),
  };
}

/**
 * Logs a scheduled run, and publishes its heartbeats. Failures on the way are a warning, because the run continued.
 *
 * @param heartbeats one for each shard that it went through
 */
export function logScheduledRun(
  name: ScheduledName,
  { failures, ...done }: ScheduledRunDone,
  heartbeats = 1,
): void {
  const said = SAID[name];
  if (failures.length === 0) logger.info(said, { ...done });
  else logger.warn(said, { ...done, failed: failures.length, error: failures[0] });
  publish({ run: name }, { Heartbeat: heartbeats, OldestDue: done.oldestDueSeconds });
  const unreadable = failures.filter((failure) => failure instanceof CorruptItemError).length;
  if (unreadable > 0) publish({}, { UnreadableItems: unreadable });
}
