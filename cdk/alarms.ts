import { Duration, Stack } from "aws-cdk-lib";
import type { IHttpStage } from "aws-cdk-lib/aws-apigatewayv2";
import {
  Alarm,
  type AlarmProps,
  type IAlarm,
  Metric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { ScheduledFunctionName } from "./access.ts";
import type { TableFunction } from "./function.ts";

export interface AlarmsProps {
  readonly deadLetterQueue: IQueue;
  /** The queue of the events of clusters, and that of those that failed. */
  readonly events: { readonly queue: IQueue; readonly deadLetterQueue: IQueue };
  readonly stage: IHttpStage;
  readonly assign: TableFunction;
  readonly scheduledRuns: Readonly<Record<ScheduledFunctionName, TableFunction>>;
}

/** Five deliveries of a message, with a minute between two of them, and a margin. */
const EVENT_SECONDS_MAX = 600;

type Rule = Pick<AlarmProps, "metric" | "threshold" | "evaluationPeriods" | "datapointsToAlarm">;

/**
 * Alarms for operators, through a topic that has no subscriber at first. The functions have no alarm for their errors.
 * An error of a request is a 5xx, and an error of a scheduled run is a dead letter. Each of these metrics counts
 * failures only, so missing data means that there were none.
 */
export class Alarms extends Construct {
  readonly topic: Topic;
  readonly serverErrors: IAlarm;

  constructor(
    scope: Construct,
    id: string,
    { deadLetterQueue, events, stage, assign, scheduledRuns }: AlarmsProps,
  ) {
    super(scope, id);
    // Not encrypted with the key that SNS has in every account, because CloudWatch may not use it. Alarms contain no
    // names of callers.
    this.topic = new Topic(this, "Topic", { enforceSSL: true });
    // A topic with its own policy loses the default one that lets the account's alarms publish
    // (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html).
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: "AlarmsOfThisAccount",
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": Stack.of(this).account } },
      }),
    );

    this.alarm(
      "DeadLetters",
      "A scheduled run of reclaim, repair or work was lost, or failed as a whole. Read the message in the dead-letter queue and the log of the function, then purge the queue: the next run has continued.",
      {
        metric: deadLetterQueue.metricApproximateNumberOfMessagesVisible({
          statistic: Stats.MAXIMUM,
          period: Duration.minutes(1),
        }),
        threshold: 1,
        evaluationPeriods: 1,
      },
    );
    this.alarm(
      "DeadEvents",
      "Events of clusters are malformed, or failed five times. Read the message in the dead-letter queue of the events, and the log of intake, mend the sender, then redrive the queue: an event may come late.",
      {
        metric: events.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
          statistic: Stats.MAXIMUM,
          period: Duration.minutes(1),
        }),
        threshold: 1,
        evaluationPeriods: 1,
      },
    );
    this.alarm(
      "LateEvents",
      "Events of clusters wait in their queue: nodes are neither registered nor released. Look at the log and the throttles of intake.",
      {
        metric: events.queue.metricApproximateAgeOfOldestMessage({
          statistic: Stats.MAXIMUM,
          period: Duration.minutes(1),
        }),
        // Longer than all deliveries of one bad message take.
        threshold: EVENT_SECONDS_MAX,
        evaluationPeriods: 1,
      },
    );
    this.serverErrors = this.alarm(
      "ServerErrors",
      "Requests are answered with a 5xx, for more than a moment. Find them by status in the access log, and by requestId in the log of the function: 500 is a mistake in Plat, 503 a table that does not answer or too many writers of one item; where the function has no line, it was stopped or throttled.",
      {
        metric: stage.metricServerError({ statistic: Stats.SUM, period: Duration.minutes(5) }),
        // The caller of a single failure retries. A lasting failure shows in two of three samples.
        threshold: 5,
        evaluationPeriods: 3,
        datapointsToAlarm: 2,
      },
    );
    this.alarm(
      "Throttles",
      "Lambda throttles assign: the account has no concurrency left. Look at ConcurrentExecutions of the account, at who takes it, and at its quota.",
      {
        // All functions of the API share the account's unreserved concurrency, and this one has the most requests. A
        // scheduled run is also throttled while its predecessor runs, which is not a failure.
        metric: assign.function.metricThrottles({
          statistic: Stats.SUM,
          period: Duration.minutes(1),
        }),
        // A burst may exceed Lambda's scaling for a minute.
        threshold: 1,
        evaluationPeriods: 5,
        datapointsToAlarm: 3,
      },
    );
    this.alarm(
      "RunFailures",
      "Scheduled runs of reclaim, repair or work go on, but again and again fail at something. Look for lines with `failed` in the logs of the three: the error names the item; one that cannot be read is kept until an operator has looked at it.",
      {
        metric: this.runsWithFailures(scheduledRuns),
        // Counts minutes, not runs, because all shards fail in the same minute if the table does not answer. The next
        // scheduled run repeats a failed call. A permanent failure shows in each run that reaches its item. That is
        // every minute in a small space, and less than three times an hour in a very large one. `plat check` finds it
        // there.
        threshold: 1,
        evaluationPeriods: 60,
        datapointsToAlarm: 3,
      },
    );
  }

  private alarm(id: string, alarmDescription: string, rule: Rule): IAlarm {
    const alarm = new Alarm(this, id, {
      alarmName: `${Stack.of(this).stackName}-${id}`,
      alarmDescription,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...rule,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    return alarm;
  }

  /** Counts the lines of `src/edge/events/scheduled-run-log.ts` that report failures. */
  private runsWithFailures(scheduledRuns: AlarmsProps["scheduledRuns"]): Metric {
    const counted = {
      metricNamespace: Stack.of(this).stackName,
      metricName: "RunsWithFailures",
    };
    for (const [name, scheduledRun] of Object.entries(scheduledRuns))
      new MetricFilter(this, `${name}Failures`, {
        logGroup: scheduledRun.function.logGroup,
        filterPattern: FilterPattern.numberValue("$.failed", ">", 0),
        ...counted,
      });
    return new Metric({
      namespace: counted.metricNamespace,
      metricName: counted.metricName,
      statistic: Stats.SUM,
      period: Duration.minutes(1),
    });
  }
}
