import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";

/**
 * Every metric that a function publishes, with its unit. Their dimensions never name a host, a handle, an address or a
 * caller, because each combination of values is a metric that costs money.
 */
const UNITS = {
  Latency: MetricUnit.Milliseconds,
  Writes: MetricUnit.Count,
  Conflicts: MetricUnit.Count,
  Claims: MetricUnit.Count,
  Seizes: MetricUnit.Count,
  Borrows: MetricUnit.Count,
  UnreadableItems: MetricUnit.Count,
  TableFrozen: MetricUnit.Count,
  Heartbeat: MetricUnit.Count,
  OldestDue: MetricUnit.Seconds,
  PoolUse: MetricUnit.Percent,
  PoolCooling: MetricUnit.Percent,
  HoursUntilExhausted: MetricUnit.NoUnit,
} as const;
type MetricName = keyof typeof UNITS;

/**
 * Made once. Powertools reads the namespace from `POWERTOOLS_METRICS_NAMESPACE`. A process without it publishes nothing,
 * as with `npm start`.
 */
const metrics = process.env.POWERTOOLS_METRICS_NAMESPACE ? new Metrics() : undefined;

/**
 * Writes one line in the embedded metric format, from which CloudWatch makes metrics
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html).
 * Powertools adds the dimension `service`.
 *
 * @param values the values by the names of their metrics; it leaves out those that are absent
 */
export function publish(
  dimensions: Readonly<Record<string, string>>,
  values: Readonly<Partial<Record<MetricName, number | undefined>>>,
): void {
  if (!metrics) return;
  if (Object.keys(dimensions).length > 0) metrics.addDimensions({ ...dimensions });
  for (const [name, value] of Object.entries(values) as [MetricName, number | undefined][])
    if (value !== undefined) metrics.addMetric(name, UNITS[name], value);
  metrics.publishStoredMetrics();
}
