import { Stack } from "aws-cdk-lib";
import { Alarm, type IAlarm, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { poolRules } from "./alarm-rules/pools.ts";
import { publishingRules } from "./alarm-rules/publishing.ts";
import { type QueuesProps, queueRules } from "./alarm-rules/queues.ts";
import { type QuotasProps, quotaRules } from "./alarm-rules/quotas.ts";
import { type RequestsProps, requestRules } from "./alarm-rules/requests.ts";
import { type AlarmRule, descriptionOf } from "./alarm-rules/rule.ts";
import { heartbeatRules, runRules, type ScheduledRuns } from "./alarm-rules/runs.ts";
import { probeRule } from "./probe.ts";
import type { Publisher } from "./publishing.ts";

/** `essential` leaves the warnings out. */
export const ALARM_LEVELS = ["essential", "all"] as const;
export type AlarmLevel = (typeof ALARM_LEVELS)[number];

export interface AlarmsProps extends QueuesProps, QuotasProps, RequestsProps {
  readonly level: AlarmLevel;
  readonly scheduledRuns: ScheduledRuns;
  /** False in a Region whose schedules do not run: it has no heartbeats, and measures no pools. */
  readonly enabled: boolean;
  /** True if a probe assigns and releases. */
  readonly probe: boolean;
  /** Absent in a Region that publishes nothing. */
  readonly publisher: Publisher | undefined;
}

/**
 * Alarms for operators, through a topic that has no subscriber at first. `docs/runbook.md` has a chapter for each. The
 * functions have no alarm for their errors: an error of a request is a 5xx, and an error of a scheduled run is a dead
 * letter.
 */
export class Alarms extends Construct {
  readonly topic: Topic;
  readonly serverErrors: IAlarm;
  /** All alarms, in the order of the rules. */
  readonly all: IAlarm[] = [];

  constructor(
    scope: Construct,
    id: string,
    { level, scheduledRuns, enabled, probe, publisher, ...props }: AlarmsProps,
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
    const { serverErrors, ...requests } = requestRules(this, props);
    this.serverErrors = this.add(serverErrors);
    for (const rule of [
      ...queueRules(props),
      ...Object.values(requests),
      ...quotaRules(props),
      ...runRules(this, scheduledRuns),
      // `reclaim` measures pools. Without its samples an alarm of a pool would stay raised for ever.
      ...(enabled ? [...heartbeatRules(this, scheduledRuns), ...poolRules(this)] : []),
      ...(probe ? [probeRule(this)] : []),
      ...(publisher ? publishingRules(publisher) : []),
    ])
      if (level === "all" || !rule.isWarning) this.add(rule);
  }

  /** Adds an alarm that tells the topic. */
  private add({ id, says, chapter, isWarning: _, ...rule }: AlarmRule): IAlarm {
    const alarm = new Alarm(this, id, {
      alarmName: `${Stack.of(this).stackName}-${id}`,
      alarmDescription: descriptionOf({ id, says, ...(chapter && { chapter }), ...rule }),
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...rule,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    this.all.push(alarm);
    return alarm;
  }
}
