/** One value of a metric. */
export interface Datum {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly atMs: number;
  readonly value: number;
}

/** A metric by its names. */
export type MetricNamed = Pick<Datum, "namespace" | "name" | "dimensions">;

interface EmbeddedMetrics {
  readonly _aws: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [member: string]: unknown;
}

/**
 * Returns the values in the lines of a log that are in the embedded metric format
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html).
 */
export function dataIn(log: string): readonly Datum[] {
  return log
    .split("\n")
    .filter((line) => line.startsWith('{"_aws"'))
    .flatMap((line) => dataOf(JSON.parse(line)));
}

function dataOf({ _aws, ...members }: EmbeddedMetrics): readonly Datum[] {
  return _aws.CloudWatchMetrics.flatMap(({ Namespace: namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) =>
      Metrics.map(({ Name: name }) => ({
        namespace,
        name,
        dimensions: Object.fromEntries(names.map((each) => [each, String(members[each])])),
        atMs: _aws.Timestamp,
        value: Number(members[name]),
      })),
    ),
  );
}

/** Returns a text that two metrics share only if they are the same. */
export const keyOf = ({ namespace, name, dimensions }: MetricNamed): string =>
  JSON.stringify([namespace, name, Object.entries(dimensions).sort()]);
