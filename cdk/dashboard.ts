import { Duration, Stack } from "aws-cdk-lib";
import {
  AlarmStatusWidget,
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IAlarm,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  MathExpression,
  Metric,
  SingleValueWidget,
  Stats,
} from "aws-cdk-lib/aws-cloudwatch";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { SCHEDULED_FUNCTIONS } from "./access.ts";
import {
  EACH_5_MINUTES,
  EACH_15_MINUTES,
  namespaceOf,
  ownMetric,
  type StageMetrics,
} from "./metrics.ts";
import type { Publisher } from "./publishing.ts";
import type { TableReference } from "./table.ts";

export interface DashboardProps {
  readonly alarms: readonly IAlarm[];
  readonly stage: StageMetrics;
  readonly accessLog: ILogGroup;
  readonly table: Pick<TableReference, "tableName">;
  /** Absent in a Region that publishes nothing. */
  readonly publisher: Publisher | undefined;
}

/**
 * The columns of a dashboard
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html).
 */
const WIDTH = 24;
const HALF = WIDTH / 2;
const THIRD = WIDTH / 3;
const LOW = 4;
const HIGH = 6;

/**
 * The dashboard of an environment. Its first screen answers three questions: whether the environment is healthy, whether
 * a pool runs out and when, and who asks most. The rows below have the causes.
 */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, props: DashboardProps) {
    super(scope, id);
    const { stackName, region } = Stack.of(this);
    new CloudWatchDashboard(this, "Dashboard", {
      // An account has one list of dashboards for all its Regions
      // (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutDashboard.html).
      dashboardName: `${stackName}-${region}`,
      defaultInterval: Duration.hours(3),
      widgets: [
        [alarmsOf(props), requestsOf(props)],
        [useOfPools(this), endOfPools(this), callersOf(props)],
        [latency(this), cooling(this), ...(props.publisher ? [lag(props.publisher)] : [])],
        [heartbeats(this), due(this), throttled(props)],
      ],
    });
  }
}

const alarmsOf = ({ alarms }: DashboardProps): IWidget =>
  new AlarmStatusWidget({
    title: "Is it healthy? Each alarm has a chapter in docs/runbook.md",
    alarms: [...alarms],
    width: HALF,
    height: HIGH,
  });

function requestsOf({ stage }: DashboardProps): IWidget {
  const sampled = { statistic: Stats.SUM, period: EACH_5_MINUTES };
  return new SingleValueWidget({
    title: "Requests in five minutes",
    metrics: [
      stage.metricCount({ ...sampled, label: "all" }),
      stage.metricClientError({ ...sampled, label: "4xx" }),
      stage.metricServerError({ ...sampled, label: "5xx" }),
      stage.metricLatency({ statistic: "p99", period: EACH_5_MINUTES, label: "p99, ms" }),
    ],
    width: HALF,
    height: HIGH,
  });
}

/** A pool of which half is in use has a line of its own. */
const useOfPools = (scope: Construct): IWidget =>
  new GraphWidget({
    title: "Is a pool running out? Use of pools, %",
    left: [
      ownMetric(scope, "PoolUse", {
        statistic: Stats.MAXIMUM,
        period: EACH_15_MINUTES,
      }).with({ label: "fullest pool" }),
      searched(scope, "{NAMESPACE,service,space,pool,family}", "PoolUse", "Maximum"),
    ],
    leftYAxis: { min: 0, max: 100, showUnits: false },
    leftAnnotations: [{ value: 80 }, { value: 95 }],
    width: THIRD,
    height: HIGH,
  });

const endOfPools = (scope: Construct): IWidget =>
  new GraphWidget({
    title: "When? Hours until a pool has no address left",
    left: [
      ownMetric(scope, "HoursUntilExhausted", {
        statistic: Stats.MINIMUM,
        period: EACH_15_MINUTES,
      }).with({ label: "first pool" }),
      searched(scope, "{NAMESPACE,service,space,pool,family}", "HoursUntilExhausted", "Minimum"),
    ],
    leftYAxis: { min: 0, showUnits: false },
    leftAnnotations: [{ value: 24 }],
    width: THIRD,
    height: HIGH,
  });

const callersOf = ({ accessLog }: DashboardProps): IWidget =>
  new LogQueryWidget({
    title: "Who asks most?",
    logGroupNames: [accessLog.logGroupName],
    view: LogQueryVisualizationType.TABLE,
    queryLines: [
      "fields caller, status",
      "stats count(*) as requests, sum(status = '429') as tooMany by caller",
      "sort requests desc",
      "limit 10",
    ],
    width: THIRD,
    height: HIGH,
  });

const latency = (scope: Construct): IWidget =>
  new GraphWidget({
    title: "Latency by operation, p99, ms",
    left: [searched(scope, "{NAMESPACE,service,operation,status}", "Latency", "p99")],
    leftYAxis: { min: 0, showUnits: false },
    width: THIRD,
    height: HIGH,
  });

const cooling = (scope: Construct): IWidget =>
  new GraphWidget({
    title: "Released, and still cooling, % of pools",
    left: [
      ownMetric(scope, "PoolCooling", {
        statistic: Stats.MAXIMUM,
        period: EACH_15_MINUTES,
      }).with({ label: "most of a pool" }),
      searched(scope, "{NAMESPACE,service,space,pool,family}", "PoolCooling", "Maximum"),
    ],
    leftYAxis: { min: 0, max: 100, showUnits: false },
    width: THIRD,
    height: HIGH,
  });

const lag = ({ publish }: Publisher): IWidget =>
  new GraphWidget({
    title: "Age of the last published change, s",
    left: [
      new MathExpression({
        expression: "age / 1000",
        usingMetrics: {
          age: publish.alias.metric("IteratorAge", {
            statistic: Stats.MAXIMUM,
            period: EACH_5_MINUTES,
          }),
        },
        label: "age",
        period: EACH_5_MINUTES,
      }),
    ],
    leftYAxis: { min: 0, showUnits: false },
    width: THIRD,
    height: HIGH,
  });

const heartbeats = (scope: Construct): IWidget =>
  new GraphWidget({
    title: "Scheduled runs that ended well",
    left: SCHEDULED_FUNCTIONS.map((run) =>
      ownMetric(scope, "Heartbeat", {
        dimensions: { run },
        statistic: Stats.SUM,
        period: EACH_5_MINUTES,
      }).with({ label: run }),
    ),
    leftYAxis: { min: 0, showUnits: false },
    width: THIRD,
    height: LOW,
  });

const due = (scope: Construct): IWidget =>
  new GraphWidget({
    title: "Age of the oldest due item, s",
    left: [
      ownMetric(scope, "OldestDue", {
        dimensions: { run: "repair" },
        statistic: Stats.MAXIMUM,
        period: EACH_5_MINUTES,
      }),
    ],
    leftYAxis: { min: 0, showUnits: false },
    width: THIRD,
    height: LOW,
  });

const throttled = ({ table }: DashboardProps): IWidget =>
  new GraphWidget({
    title: "Throttled calls of the table, and executions of the account",
    left: ["ReadThrottleEvents", "WriteThrottleEvents"].map(
      (metricName) =>
        new Metric({
          namespace: "AWS/DynamoDB",
          metricName,
          dimensionsMap: { TableName: table.tableName },
          statistic: Stats.SUM,
          period: EACH_5_MINUTES,
        }),
    ),
    right: [
      new Metric({
        namespace: "AWS/Lambda",
        metricName: "ClaimedAccountConcurrency",
        statistic: Stats.MAXIMUM,
        period: EACH_5_MINUTES,
      }),
    ],
    width: THIRD,
    height: LOW,
  });

/** Returns a search for all metrics of a name with these dimensions. NAMESPACE stands for that of the stack. */
const searchOf = (scope: Construct, schema: string, name: string, statistic: string): string =>
  `SEARCH('${schema.replace("NAMESPACE", `"${namespaceOf(scope)}"`)} MetricName="${name}"', '${statistic}', 300)`;

const searched = (scope: Construct, schema: string, name: string, statistic: string) =>
  new MathExpression({
    expression: searchOf(scope, schema, name, statistic),
    label: "",
    period: EACH_5_MINUTES,
  });
