import * as v from "valibot";
import { Intrinsics } from "../intrinsics.ts";
import type { Stack } from "../names.ts";
import { type Datum, keyOf, type MetricNamed } from "./data.ts";
import { evaluate } from "./expression.ts";

const dimensions = v.optional(v.array(v.object({ Name: v.string(), Value: v.string() })), []);
const metric = {
  Namespace: v.string(),
  MetricName: v.string(),
  Dimensions: dimensions,
};
const alarm = v.object({
  AlarmName: v.string(),
  AlarmDescription: v.string(),
  ComparisonOperator: v.picklist([
    "GreaterThanOrEqualToThreshold",
    "LessThanThreshold",
    "LessThanOrEqualToThreshold",
  ]),
  Threshold: v.number(),
  EvaluationPeriods: v.number(),
  DatapointsToAlarm: v.optional(v.number()),
  TreatMissingData: v.picklist(["breaching", "notBreaching", "ignore"]),
  Namespace: v.optional(v.string()),
  MetricName: v.optional(v.string()),
  Dimensions: dimensions,
  Period: v.optional(v.number()),
  Statistic: v.optional(v.string()),
  ExtendedStatistic: v.optional(v.string()),
  Metrics: v.optional(
    v.array(
      v.object({
        Id: v.string(),
        Expression: v.optional(v.string()),
        MetricStat: v.optional(
          v.object({ Metric: v.object(metric), Period: v.number(), Stat: v.string() }),
        ),
      }),
    ),
    [],
  ),
});

type Operator = v.InferOutput<typeof alarm>["ComparisonOperator"];

const COMPARISONS: Readonly<Record<Operator, (value: number, threshold: number) => boolean>> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};

export type AlarmState = "OK" | "ALARM";

/** An alarm of a template. */
export interface DeployedAlarm {
  readonly name: string;
  readonly description: string;
  /** The metrics that it looks at, by their ids. */
  readonly metrics: Readonly<Record<string, Sampled>>;
  /** The expression over them; absent if there is one metric alone. */
  readonly expression: string | undefined;
  readonly isBreaching: (value: number) => boolean;
  readonly threshold: number;
  readonly periodSeconds: number;
  readonly periods: number;
  readonly datapoints: number;
  readonly missing: "breaching" | "notBreaching" | "ignore";
}

interface Sampled extends MetricNamed {
  readonly statistic: string;
}

/** Reads the alarms of stacks. */
export function alarmsOf(stacks: readonly Stack[]): readonly DeployedAlarm[] {
  const intrinsics = new Intrinsics(stacks);
  return stacks.flatMap((stack) =>
    Object.values(stack.resources)
      .filter(({ Type }) => Type === "AWS::CloudWatch::Alarm")
      .map(({ Properties }) => deployed(v.parse(alarm, intrinsics.resolve(stack, Properties)))),
  );
}

function deployed(read: v.InferOutput<typeof alarm>): DeployedAlarm {
  const sampled = read.Metrics.flatMap(({ Id, MetricStat }) =>
    MetricStat ? [[Id, { ...named(MetricStat.Metric), statistic: MetricStat.Stat }] as const] : [],
  );
  const { Namespace = "", MetricName = "", Dimensions, Threshold: threshold } = read;
  const statistic = read.Statistic ?? read.ExtendedStatistic ?? "";
  const alone = { ...named({ Namespace, MetricName, Dimensions }), statistic };
  const [period = read.Period] = read.Metrics.flatMap(({ MetricStat }) => MetricStat?.Period ?? []);
  return {
    name: read.AlarmName,
    description: read.AlarmDescription,
    metrics: sampled.length > 0 ? Object.fromEntries(sampled) : { alone },
    expression: read.Metrics.find(({ Expression }) => Expression)?.Expression,
    isBreaching: (value) => COMPARISONS[read.ComparisonOperator](value, threshold),
    threshold,
    periodSeconds: period ?? 0,
    periods: read.EvaluationPeriods,
    datapoints: read.DatapointsToAlarm ?? read.EvaluationPeriods,
    missing: read.TreatMissingData,
  };
}

const named = (of: v.InferOutput<v.ObjectSchema<typeof metric, undefined>>): MetricNamed => ({
  namespace: of.Namespace,
  name: of.MetricName,
  dimensions: Object.fromEntries(of.Dimensions.map(({ Name, Value }) => [Name, Value])),
});

/**
 * Returns the state of an alarm at a time, by the last periods before it. If `datapoints` of them are breaching, it is
 * raised. CloudWatch also looks further back if data is missing, so it can stay raised for longer
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html).
 *
 * @param data all values so far, of this and of other metrics
 * @param before the state before, which stays if all is missing and missing data is ignored
 */
export function stateOf(
  alarm: DeployedAlarm,
  data: readonly Datum[],
  nowMs: number,
  before: AlarmState = "OK",
): AlarmState {
  const periodMs = alarm.periodSeconds * 1_000;
  const points = Array.from({ length: alarm.periods }, (_, period) => {
    const untilMs = nowMs - period * periodMs;
    const within = data.filter(({ atMs }) => atMs >= untilMs - periodMs && atMs < untilMs);
    const values = Object.entries(alarm.metrics).map(([id, sampled]) => {
      const own = within.filter((datum) => keyOf(datum) === keyOf(sampled));
      return [
        id,
        statisticOf(
          sampled.statistic,
          own.map(({ value }) => value),
        ),
      ] as const;
    });
    if (alarm.expression === undefined) return values[0]?.[1];
    return evaluate(alarm.expression, Object.fromEntries(values));
  });
  if (alarm.missing === "ignore" && points.every((point) => point === undefined)) return before;
  const breaching = points.filter((point) =>
    point === undefined ? alarm.missing === "breaching" : alarm.isBreaching(point),
  );
  return breaching.length >= alarm.datapoints ? "ALARM" : "OK";
}

/** Returns a statistic of the values of a period; nothing without values. */
function statisticOf(statistic: string, values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const [, percent] = /^p(\d+)$/.exec(statistic) ?? [];
  if (percent !== undefined) {
    const sorted = values.toSorted((a, b) => a - b);
    return sorted[Math.ceil((sorted.length * Number(percent)) / 100) - 1];
  }
  if (statistic === "Sum") return values.reduce((sum, value) => sum + value, 0);
  if (statistic === "Maximum") return Math.max(...values);
  if (statistic === "Minimum") return Math.min(...values);
  throw new Error(`the statistic ${statistic} is not known`);
}
