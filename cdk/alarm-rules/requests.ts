import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { EACH_5_MINUTES, namespaceOf, ownMetric, type StageMetrics } from "../metrics.ts";
import type { AlarmRule } from "./rule.ts";

export interface RequestsProps {
  readonly stage: StageMetrics;
  readonly accessLog: ILogGroup;
}

/** The share of requests that an alarm accepts, in percent. */
const THROTTLED_PERCENT_MAX = 5;
const SERVER_ERROR_PERCENT_MAX = 1;
/** With fewer requests in five minutes, one of them is too large a share. */
const REQUESTS_MIN = 100;
/** Fifty times what a warm assign takes. */
const ASSIGN_P99_MS_MAX = 1_000;

const SAMPLED = { statistic: Stats.SUM, period: EACH_5_MINUTES };
/** A cause that lasts shows in two of three samples. */
const LASTING = { evaluationPeriods: 3, datapointsToAlarm: 2 } as const;

/** The alarms of what callers of the API are answered. */
export function requestRules(
  scope: Construct,
  { stage, accessLog }: RequestsProps,
): Readonly<
  Record<"serverErrors" | "serverErrorShare" | "tooManyRequests" | "slowAssigns", AlarmRule>
> {
  const requests = stage.metricCount(SAMPLED);
  return {
    serverErrors: {
      id: "ServerErrors",
      says: "Requests are answered with a 5xx, for more than a moment.",
      metric: stage.metricServerError(SAMPLED),
      // The caller of a single failure retries.
      threshold: 5,
      ...LASTING,
    },
    serverErrorShare: {
      id: "ServerErrorShare",
      isWarning: true,
      says: `More than ${SERVER_ERROR_PERCENT_MAX} % of the requests are answered with a 5xx.`,
      chapter: "ServerErrors",
      metric: shareOf(stage.metricServerError(SAMPLED), requests),
      threshold: SERVER_ERROR_PERCENT_MAX,
      ...LASTING,
    },
    tooManyRequests: {
      id: "TooManyRequests",
      isWarning: true,
      says: `More than ${THROTTLED_PERCENT_MAX} % of the requests are answered with 429.`,
      metric: shareOf(throttledOf(scope, accessLog), requests),
      threshold: THROTTLED_PERCENT_MAX,
      ...LASTING,
    },
    slowAssigns: {
      id: "SlowAssigns",
      isWarning: true,
      says: `One in a hundred assigns takes longer than ${ASSIGN_P99_MS_MAX} ms.`,
      metric: ownMetric(scope, "Latency", {
        dimensions: { operation: "POST /v1/assign", status: "2xx" },
        statistic: Stats.percentile(99),
        period: EACH_5_MINUTES,
      }),
      threshold: ASSIGN_P99_MS_MAX,
      evaluationPeriods: 3,
    },
  };
}

function shareOf(part: Metric, requests: Metric): MathExpression {
  return new MathExpression({
    expression: `IF(requests >= ${REQUESTS_MIN}, 100 * FILL(part, 0) / requests, 0)`,
    usingMetrics: { part, requests },
    period: EACH_5_MINUTES,
  });
}

/** Counts the answers 429 in the access log: those of Plat, and those of API Gateway, which reach no function. */
function throttledOf(scope: Construct, logGroup: ILogGroup): Metric {
  const counted = { metricNamespace: namespaceOf(scope), metricName: "TooManyRequests" };
  new MetricFilter(scope, "TooManyRequestsFilter", {
    logGroup,
    filterPattern: FilterPattern.stringValue("$.status", "=", "429"),
    ...counted,
  });
  return new Metric({
    namespace: counted.metricNamespace,
    metricName: counted.metricName,
    ...SAMPLED,
  });
}
