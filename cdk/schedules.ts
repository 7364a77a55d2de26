import { Duration } from "aws-cdk-lib";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { Schedule, ScheduleExpression, ScheduleTargetInput } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { EVERY_SHARD } from "../src/domain/shard.ts";
import { SCHEDULED_FUNCTIONS, type ScheduledFunctionName } from "./access.ts";
import type { Environment } from "./environments.ts";
import type { TableFunction } from "./function.ts";

export interface SchedulesProps {
  readonly environment: Environment;
  readonly functions: Readonly<Record<ScheduledFunctionName, TableFunction>>;
}

/** The event of a schedule: the shard, if the function has shards. */
type ScheduledRun = { readonly shard: number } | undefined;

const BY_SHARD: readonly ScheduledRun[] = EVERY_SHARD.map((shard) => ({ shard }));

/** The schedules of each function, by what they say. */
export const TICKS: Readonly<Record<ScheduledFunctionName, readonly ScheduledRun[]>> = {
  reclaim: BY_SHARD,
  repair: BY_SHARD,
  work: [undefined],
};

/**
 * The clock of the system. Every tick starts a scheduled run that looks at the table afresh, so the next tick is the
 * retry of a lost one: a tick is tried briefly, never queued up behind others, and kept only to be looked at.
 */
export class Schedules extends Construct {
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, { environment, functions }: SchedulesProps) {
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
      // Scheduler hands the tick to Lambda's own queue and is done, so a scheduled run that fails is Lambda's to report.
      live.configureAsyncInvoke({
        retryAttempts: 0,
        maxEventAge,
        onFailure: new SqsDestination(deadLetterQueue),
      });
      for (const tick of TICKS[name])
        new Schedule(this, `${name}${tick?.shard ?? ""}`, {
          schedule: ScheduleExpression.rate(rates[name]),
          timeWindow: environment.scheduleWindow,
          target: new LambdaInvoke(live, {
            ...(tick && { input: ScheduleTargetInput.fromObject(tick) }),
            deadLetterQueue,
            retryAttempts: 2,
            maxEventAge,
          }),
        });
    }
  }
}
