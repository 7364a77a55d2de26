import * as v from "valibot";
import { Intrinsics } from "../intrinsics.ts";
import type { Stack } from "../names.ts";
import { patternOf } from "./filter-pattern.ts";

const metricFilter = v.object({
  FilterPattern: v.string(),
  LogGroupName: v.string(),
  MetricTransformations: v.tuple([
    v.object({ MetricNamespace: v.string(), MetricName: v.string(), MetricValue: v.literal("1") }),
  ]),
});

/** A filter of a template, which counts lines of a log group as a metric without dimensions. */
export interface DeployedFilter {
  readonly logGroup: string;
  readonly namespace: string;
  readonly name: string;
  /** Returns true if the filter counts a line. */
  readonly counts: (line: string) => boolean;
}

/** Reads the metric filters of stacks. */
export function filtersOf(stacks: readonly Stack[]): readonly DeployedFilter[] {
  const intrinsics = new Intrinsics(stacks);
  return stacks.flatMap((stack) =>
    Object.values(stack.resources)
      .filter(({ Type }) => Type === "AWS::Logs::MetricFilter")
      .map(({ Properties }) => {
        const read = v.parse(metricFilter, intrinsics.resolve(stack, Properties));
        const [{ MetricNamespace: namespace, MetricName: name }] = read.MetricTransformations;
        const { LogGroupName: logGroup, FilterPattern } = read;
        return { logGroup, namespace, name, counts: patternOf(FilterPattern) };
      }),
  );
}
