import { errorLine } from "./error-line.ts";

/** The levels of log lines, the least serious first. `SILENT` is the level of no line. */
const LEVELS = ["DEBUG", "INFO", "WARN", "ERROR", "SILENT"] as const;
type Level = (typeof LEVELS)[number];

/** The fields of a line besides its message. None has a body, a name, an attribute or an authorization header. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * Writes lines of JSON, of the level of the variable `LOG_LEVEL` and above. Warnings and errors go to stderr.
 * What is in the field `error` becomes an `ErrorLine`.
 */
class Logger {
  #least = 0;

  constructor(level: string) {
    this.setLogLevel(level);
  }

  /** Sets the least serious level that is written: one of `LEVELS`, or INFO for any other text. */
  setLogLevel(level: string): void {
    const at = LEVELS.indexOf(level.toUpperCase() as Level);
    this.#least = at < 0 ? LEVELS.indexOf("INFO") : at;
  }

  info(message: string, fields: Fields): void {
    this.#write("INFO", message, fields);
  }

  warn(message: string, fields: Fields): void {
    this.#write("WARN", message, fields);
  }

  error(message: string, fields: Fields): void {
    this.#write("ERROR", message, fields);
  }

  #write(level: Level, message: string, fields: Fields): void {
    if (LEVELS.indexOf(level) < this.#least) return;
    const line = {
      level,
      message,
      timestamp: new Date().toISOString(),
      service: SERVICE,
      xray_trace_id: traceId(),
      ...fields,
      ...("error" in fields && { error: errorLine(fields.error) }),
    };
    // Not by `console`, before whose lines Lambda writes the time and the request.
    const stream = level === "INFO" ? process.stdout : process.stderr;
    stream.write(`${JSON.stringify(line)}\n`);
  }
}

export const logger = new Logger(process.env.LOG_LEVEL ?? "INFO");

/**
 * Returns the trace of the call, which X-Ray shows; nothing outside of Lambda
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime).
 */
const traceId = (): string | undefined =>
  /Root=([^;]+)/.exec(process.env._X_AMZN_TRACE_ID ?? "")?.[1];

/** The service in each line of logs and metrics. */
const SERVICE = "plat";

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
