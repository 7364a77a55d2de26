import { Duration } from "aws-cdk-lib";
import { ComparisonOperator, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Schedule, ScheduleExpression } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { REQUEST_MS_MAX } from "../src/base/limits.ts";
import type { AlarmRule } from "./alarm-rules/rule.ts";
import { TableFunction, type TableFunctionProps } from "./function.ts";
import { EACH_MINUTE, ownMetric } from "./metrics.ts";

export interface ProbeProps extends Pick<TableFunctionProps, "environment" | "table" | "marker"> {
  readonly deadLetterQueue: IQueue;
}

/**
 * Assigns and releases an address each minute in a reserved space (`src/kernel/values/probe.ts`), so that an environment
 * without requests shows too whether it serves. It calls the allocator, and not the API.
 */
export class Probe extends Construct {
  constructor(scope: Construct, id: string, { deadLetterQueue, ...over }: ProbeProps) {
    super(scope, id);
    const { live } = new TableFunction(this, "probe", {
      ...over,
      timeout: Duration.millis(REQUEST_MS_MAX),
    });
    const maxEventAge = EACH_MINUTE;
    // The next run is the retry, and the missing heartbeat raises the alarm.
    live.configureAsyncInvoke({ retryAttempts: 0, maxEventAge });
    new Schedule(this, "Schedule", {
      schedule: ScheduleExpression.rate(EACH_MINUTE),
      timeWindow: over.environment.scheduleWindow,
      target: new LambdaInvoke(live, { deadLetterQueue, retryAttempts: 2, maxEventAge }),
    });
  }
}

/** Returns the alarm of a probe that fails, or does not run: missing data is breaching. */
export const probeRule = (scope: Construct): AlarmRule => ({
  id: "NoHeartbeatOfProbe",
  says: "The probe does not assign and release.",
  metric: ownMetric(scope, "Heartbeat", {
    dimensions: { run: "probe" },
    statistic: Stats.SUM,
    period: EACH_MINUTE,
  }),
  threshold: 1,
  comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
  // A window moves a run by up to a minute, so that one minute may have none.
  evaluationPeriods: 5,
  datapointsToAlarm: 4,
  treatMissingData: TreatMissingData.BREACHING,
});
