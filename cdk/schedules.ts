import { Duration } from "aws-cdk-lib";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { Schedule, ScheduleExpression, ScheduleTargetInput } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { EVERY_SHARD } from "../src/base/hash.ts";
import { wrong } from "../src/constructs/props.ts";
import { SCHEDULED_FUNCTIONS, type ScheduledFunctionName } from "./access.ts";
import type { Environment } from "./environments.ts";
import type { TableFunction } from "./function.ts";

export interface SchedulesProps {
  readonly environment: Environment;
  readonly functions: Readonly<Record<ScheduledFunctionName, TableFunction>>;
  /** False in a Region whose schedules are there but do not run. */
  readonly enabled: boolean;
}

/** The event of a schedule: its shards, if the function has shards. */
type ScheduleInput = { readonly shards: readonly number[] } | undefined;

/** Returns the events of the schedules of a function, one for each schedule. */
export function scheduleInputs(
  name: ScheduledFunctionName,
  { shardsPerSchedule }: Environment,
): readonly ScheduleInput[] {
  if (name === "work") return [undefined];
  const firsts = EVERY_SHARD.filter((shard) => shard % shardsPerSchedule === 0);
  return firsts.map((first) => ({ shards: EVERY_SHARD.slice(first, first + shardsPerSchedule) }));
}

/** The executions that Lambda lets nobody reserve (https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html). */
const UNRESERVED_MIN = 100;

/** Checks that an account has the executions that the schedules reserve: Lambda would fail the deployment. @throws {Error} */
export function checkConcurrency(
  scope: Construct,
  environment: Environment,
  lambdaConcurrency: number,
): void {
  const { reservedPerSchedule = 0 } = environment;
  const schedules = SCHEDULED_FUNCTIONS.flatMap((name) => scheduleInputs(name, environment));
  const reserved = reservedPerSchedule * schedules.length;
  const needed = reserved + UNRESERVED_MIN;
  if (reserved === 0 || lambdaConcurrency >= needed) return;
  throw wrong(
    scope,
    `lambdaConcurrency is ${lambdaConcurrency}; it must be at least ${needed}: the schedules reserve ${reserved} executions, and Lambda keeps ${UNRESERVED_MIN} unreserved. Raise the quota of the account first`,
  );
}

/**
 * Starts the scheduled runs. Each run reads the table again, so the next run is the retry of a lost one. Scheduler
 * tries to start a run for a minute and never queues it behind others. The dead-letter queue keeps a lost one for
 * operators.
 */
export class Schedules extends Construct {
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, { environment, functions, enabled }: SchedulesProps) {
    super(scope, id);
    const deadLetterQueue = new Queue(this, "DeadLetterQueue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.deadLetterQueue = deadLetterQueue;

    const rates = {
      reclaim: environment.reclaimRate,
      repair: environment.repairRate,
      work: environment.workRate,
    };
    for (const name of SCHEDULED_FUNCTIONS) {
      const { live } = functions[name];
      const maxEventAge = Duration.minutes(1);
      // Scheduler only puts the event into Lambda's own queue, so Lambda reports a run that fails.
      live.configureAsyncInvoke({
        retryAttempts: 0,
        maxEventAge,
        onFailure: new SqsDestination(deadLetterQueue),
      });
      for (const input of scheduleInputs(name, environment))
        new Schedule(this, `${name}${input?.shards[0] ?? ""}`, {
          schedule: ScheduleExpression.rate(rates[name]),
          timeWindow: environment.scheduleWindow,
          enabled,
          target: new LambdaInvoke(live, {
            ...(input && { input: ScheduleTargetInput.fromObject(input) }),
            deadLetterQueue,
            retryAttempts: 2,
            maxEventAge,
          }),
        });
    }
  }
}
