import * as v from "valibot";
import { type AddressSet, formatSet, NO_ADDRESSES } from "../../domain/address-set.ts";
import { type Cidr, formatCidr, includes, intervalOf, merged } from "../../domain/cidr.ts";
import { POOL_RANGES_MAX } from "../../domain/limits.ts";
import { parsePlainInterval } from "../../domain/plain-form.ts";
import type { AssignmentMode, Borrowing, PoolSpec } from "../../domain/pool.ts";
import { readable } from "./field.ts";
import type { FieldProblem } from "./problem.ts";
import { list } from "./schema.ts";

/** The fields of a pool with a set of addresses, with the rules of Spiderpool's SpiderIPPool. */

const run = readable(parsePlainInterval, {
  description: "An address, a range of addresses, or a CIDR, inside of `cidr`",
  examples: ["10.0.0.7", "10.0.0.10-10.0.0.99", "10.0.0.128/28"],
});

const runs = list(
  run,
  { max: POOL_RANGES_MAX },
  {
    type: "must be an array of addresses, ranges and CIDRs",
    max: `must have at most ${POOL_RANGES_MAX} entries`,
  },
);

export const SET_FIELDS = {
  ranges: v.optional(runs),
  excludes: v.optional(runs),
};

type Runs = readonly { readonly text: string; readonly interval: AddressSet[number] }[];

/** These fields after each of them is valid on its own. */
export interface SetFields {
  readonly cidr: Cidr;
  readonly ranges?: Runs | undefined;
  readonly excludes?: Runs | undefined;
  readonly borrowing?: Borrowing | undefined;
  readonly assignmentMode?: AssignmentMode | undefined;
}

/** Returns the part of a pool that these fields say. */
export const setSpec = ({
  ranges,
  excludes,
}: SetFields): Pick<PoolSpec, "ranges" | "excludes"> => ({
  ...(ranges && { ranges: setFrom(ranges) }),
  ...(excludes && excludes.length > 0 && { excludes: setFrom(excludes) }),
});

const setFrom = (runs: Runs): AddressSet =>
  runs.length === 0 ? NO_ADDRESSES : merged(runs.map(({ interval }) => interval));

export function setProblems(pool: SetFields): FieldProblem[] {
  const { cidr, ranges, excludes, borrowing, assignmentMode } = pool;
  const problems = [...outside("ranges", ranges, cidr), ...outside("excludes", excludes, cidr)];
  if (excludes && !ranges)
    problems.push({
      field: "excludes",
      problem: "is only for a pool with ranges; send ranges too, such as the whole cidr",
    });
  if (assignmentMode === "Applications" && !ranges)
    problems.push({
      field: "assignmentMode",
      value: assignmentMode,
      problem: "is only for a pool with ranges; send ranges too, such as the whole cidr",
    });
  if (ranges && borrowing === "forbidden")
    problems.push({
      field: "borrowing",
      value: borrowing,
      problem:
        "must be allowed or absent beside ranges, because the blocks of the pool have no host",
    });
  return problems;
}

const outside = (field: string, runs: Runs = [], cidr: Cidr): FieldProblem[] =>
  runs.flatMap(({ text, interval }, i) =>
    includes(intervalOf(cidr), interval)
      ? []
      : [
          {
            field: `${field}[${i}]`,
            value: text,
            problem: `is not inside of cidr ${formatCidr(cidr)}`,
          },
        ],
  );

/** Returns the set of a pool as answers and manifests write it. */
export const setAnswer = ({ ranges, excludes }: PoolSpec) => ({
  ...(ranges && { ranges: formatSet(ranges) }),
  ...(excludes && { excludes: formatSet(excludes) }),
});
