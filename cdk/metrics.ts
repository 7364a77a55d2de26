import { Duration, Stack } from "aws-cdk-lib";
import type { IHttpStage } from "aws-cdk-lib/aws-apigatewayv2";
import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";

/** The value of the dimension `service`, which each metric has. */
const SERVICE = "plat";

/** The metrics of a stage, whatever the kind of its API. */
export type StageMetrics = Pick<
  IHttpStage,
  "metricCount" | "metricClientError" | "metricServerError" | "metricLatency"
>;

export interface OwnMetricProps {
  readonly dimensions?: Readonly<Record<string, string>>;
  readonly statistic: string;
  readonly period: Duration;
}

/** Returns the namespace of what the functions of a stack publish: the name of the stack. */
export const namespaceOf = (scope: Construct): string => Stack.of(scope).stackName;

/** Returns a metric that functions of the stack publish (`src/api/http/logger.ts`). */
export function ownMetric(
  scope: Construct,
  metricName: string,
  { dimensions = {}, ...sampled }: OwnMetricProps,
): Metric {
  return new Metric({
    namespace: namespaceOf(scope),
    metricName,
    dimensionsMap: { service: SERVICE, ...dimensions },
    ...sampled,
  });
}

export const EACH_MINUTE = Duration.minutes(1);
export const EACH_15_MINUTES = Duration.minutes(15);
export const EACH_5_MINUTES = Duration.minutes(5);
