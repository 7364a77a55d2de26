import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { TableFunction } from "../function.ts";
import { EACH_MINUTE } from "../metrics.ts";
import type { TableReference } from "../table.ts";
import type { AlarmRule } from "./rule.ts";

export interface QuotasProps {
  readonly assign: TableFunction;
  readonly table: Pick<TableReference, "tableName">;
  /** The quota of concurrent Lambda executions of the account in this Region. */
  readonly lambdaConcurrency: number;
}

const CONCURRENCY_SHARE_MAX = 0.8;
/** A burst may exceed what Lambda and DynamoDB scale to for a minute. */
const LASTING = { evaluationPeriods: 5, datapointsToAlarm: 3 } as const;
const SAMPLED = { statistic: Stats.SUM, period: EACH_MINUTE };

/** The alarms of what the account and the table can take. */
export const quotaRules = ({
  assign,
  table,
  lambdaConcurrency,
}: QuotasProps): readonly AlarmRule[] => [
  {
    id: "Throttles",
    says: "Lambda throttles assign: the account has no concurrency left.",
    // All functions of the API share the account's unreserved concurrency, and this one has the most requests. A
    // scheduled run is also throttled while its predecessor runs, which is not a failure.
    metric: assign.function.metricThrottles(SAMPLED),
    threshold: 1,
    ...LASTING,
  },
  {
    id: "AccountConcurrency",
    isWarning: true,
    says: `Lambda executions of the account exceed ${100 * CONCURRENCY_SHARE_MAX} % of its ${lambdaConcurrency}.`,
    // Counts reserved executions as used, because nobody else can have them
    // (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-concurrency.html).
    metric: new Metric({
      namespace: "AWS/Lambda",
      metricName: "ClaimedAccountConcurrency",
      statistic: Stats.MAXIMUM,
      period: EACH_MINUTE,
    }),
    threshold: Math.ceil(CONCURRENCY_SHARE_MAX * lambdaConcurrency),
    ...LASTING,
  },
  {
    id: "TableThrottles",
    isWarning: true,
    says: "DynamoDB throttles reads or writes of the table.",
    // A call that Plat repeats with success is a throttled one too, so callers may see nothing yet.
    metric: new MathExpression({
      expression: "FILL(reads, 0) + FILL(writes, 0)",
      usingMetrics: {
        reads: throttled("ReadThrottleEvents", table),
        writes: throttled("WriteThrottleEvents", table),
      },
      period: EACH_MINUTE,
    }),
    threshold: 1,
    ...LASTING,
  },
];

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html */
const throttled = (metricName: string, { tableName }: QuotasProps["table"]): Metric =>
  new Metric({
    namespace: "AWS/DynamoDB",
    metricName,
    dimensionsMap: { TableName: tableName },
    ...SAMPLED,
  });
