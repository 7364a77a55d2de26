import { Duration } from "aws-cdk-lib";
import { ComparisonOperator, Metric, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { SHARDS } from "../../src/base/limits.ts";
import type { ScheduledFunctionName } from "../access.ts";
import type { TableFunction } from "../function.ts";
import { EACH_5_MINUTES, EACH_MINUTE, namespaceOf, ownMetric } from "../metrics.ts";
import type { AlarmRule } from "./rule.ts";

export type ScheduledRuns = Readonly<Record<ScheduledFunctionName, TableFunction>>;

const HEARTBEAT_MINUTES = 15;
/** The share of the expected heartbeats that must come. It is above 15 of 16, so that a lost shard is seen. */
const HEARTBEAT_SHARE_MIN = 0.97;
/** An item that is due waits for the next run, which begins within two minutes. */
const DUE_SECONDS_MAX = 900;

/** The alarms of the scheduled runs. */
export const runRules = (scope: Construct, scheduledRuns: ScheduledRuns): readonly AlarmRule[] => [
  {
    id: "RunFailures",
    says: "Scheduled runs continue, but fail again and again at something.",
    metric: runsWithFailures(scope, scheduledRuns),
    // Counts minutes, not runs, because all shards fail in the same minute if the table does not answer. The next
    // scheduled run repeats a failed call. A permanent failure shows in each run that reaches its item. That is
    // every minute in a small space, and less than three times an hour in a very large one. `plat check` finds it
    // there.
    threshold: 1,
    evaluationPeriods: 60,
    datapointsToAlarm: 3,
  },
  {
    id: "LateRepair",
    says: `An allocation or an ended node has been due for more than ${DUE_SECONDS_MAX / 60} minutes.`,
    metric: ownMetric(scope, "OldestDue", {
      dimensions: { run: "repair" },
      statistic: Stats.MAXIMUM,
      period: EACH_5_MINUTES,
    }),
    threshold: DUE_SECONDS_MAX,
    evaluationPeriods: 2,
  },
  {
    id: "UnreadableItem",
    says: "A request or a scheduled run met an item that this version cannot read.",
    metric: ownMetric(scope, "UnreadableItems", { statistic: Stats.SUM, period: EACH_MINUTE }),
    threshold: 1,
    evaluationPeriods: 1,
  },
  {
    id: "TableFrozen",
    says: "The table serves no write: it is not the one that its register names.",
    metric: ownMetric(scope, "TableFrozen", { statistic: Stats.SUM, period: EACH_MINUTE }),
    threshold: 1,
    evaluationPeriods: 1,
  },
];

/** The alarms of scheduled runs that do not come. */
export const heartbeatRules = (
  scope: Construct,
  scheduledRuns: ScheduledRuns,
): readonly AlarmRule[] =>
  (Object.keys(scheduledRuns) as ScheduledFunctionName[]).map((run) =>
    heartbeatRule(scope, run, run === "work" ? 1 : SHARDS),
  );

/**
 * Returns the alarm of a run that does not start, or does not end well. Each of its shards has one a minute.
 * Without any heartbeat CloudWatch has no data, and that is the worst case, so missing data is breaching.
 *
 * @param shards the number of its shards; one if it has none
 */
function heartbeatRule(scope: Construct, run: string, shards: number): AlarmRule {
  return {
    id: `NoHeartbeatOf${run.charAt(0).toUpperCase()}${run.slice(1)}`,
    says: `Scheduled runs of ${run} are missing.`,
    chapter: "NoHeartbeat",
    metric: ownMetric(scope, "Heartbeat", {
      dimensions: { run },
      statistic: Stats.SUM,
      period: Duration.minutes(HEARTBEAT_MINUTES),
    }),
    threshold: Math.floor(HEARTBEAT_SHARE_MIN * HEARTBEAT_MINUTES * shards),
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: 2,
    treatMissingData: TreatMissingData.BREACHING,
  };
}

/** Counts the lines of `src/api/events/scheduled-run.ts` that report failures. */
function runsWithFailures(scope: Construct, scheduledRuns: ScheduledRuns): Metric {
  const counted = { metricNamespace: namespaceOf(scope), metricName: "RunsWithFailures" };
  for (const [name, scheduledRun] of Object.entries(scheduledRuns))
    new MetricFilter(scope, `${name}Failures`, {
      logGroup: scheduledRun.function.logGroup,
      filterPattern: FilterPattern.numberValue("$.failed", ">", 0),
      ...counted,
    });
  return new Metric({
    namespace: counted.metricNamespace,
    metricName: counted.metricName,
    statistic: Stats.SUM,
    period: EACH_MINUTE,
  });
}
