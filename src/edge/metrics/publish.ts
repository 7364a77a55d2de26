/** The service in each line of logs and metrics. */
export const SERVICE = "plat";

/**
 * Every metric that a function publishes, with its unit. Their dimensions never name a host, a handle, an address or a
 * caller, because each combination of values is a metric that costs money.
 */
const UNITS = {
  Latency: "Milliseconds",
  Writes: "Count",
  Conflicts: "Count",
  Claims: "Count",
  Seizes: "Count",
  Borrows: "Count",
  UnreadableItems: "Count",
  TableFrozen: "Count",
  Heartbeat: "Count",
  OldestDue: "Seconds",
  PoolUse: "Percent",
  PoolCooling: "Percent",
  HoursUntilExhausted: "None",
} as const;
type MetricName = keyof typeof UNITS;

/** A process without the variable publishes nothing, as with `npm start`. */
const NAMESPACE = process.env.METRICS_NAMESPACE;

/**
 * Writes one line in the embedded metric format, from which CloudWatch makes metrics
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html).
 * Each metric has the dimension `service`, too.
 *
 * @param values the values by the names of their metrics; it leaves out those that are absent
 */
export function publish(
  dimensions: Readonly<Record<string, string>>,
  values: Readonly<Partial<Record<MetricName, number | undefined>>>,
): void {
  if (!NAMESPACE) return;
  const present = (Object.keys(values) as MetricName[]).filter(
    (name) => values[name] !== undefined,
  );
  if (present.length === 0) return;
  const line = {
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        {
          Namespace: NAMESPACE,
          Dimensions: [["service", ...Object.keys(dimensions)]],
          Metrics: present.map((name) => ({ Name: name, Unit: UNITS[name] })),
        },
      ],
    },
    service: SERVICE,
    ...dimensions,
    ...values,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
