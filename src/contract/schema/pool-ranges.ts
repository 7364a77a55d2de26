import * as v from "valibot";
import type { Address } from "../../domain/address.ts";
import { formatAddress } from "../../domain/address.ts";
import { type AddressSet, formatSet, holds, NO_ADDRESSES } from "../../domain/address-set.ts";
import {
  type Cidr,
  contains,
  formatCidr,
  includes,
  intervalOf,
  merged,
} from "../../domain/cidr.ts";
import { POOL_RANGES_MAX, POOL_ROUTES_MAX } from "../../domain/limits.ts";
import { parsePlainInterval } from "../../domain/plain-form.ts";
import type { AssignmentMode, Borrowing, PoolSpec, Route } from "../../domain/pool.ts";
import { setOf } from "../../domain/pool-set.ts";
import { address, cidr, readable } from "./field.ts";
import type { FieldProblem } from "./problem.ts";
import { fields, list } from "./schema.ts";

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
  gateway: v.optional(address),
  routes: v.optional(
    list(
      fields({ dst: cidr, gw: address }),
      { max: POOL_ROUTES_MAX },
      {
        type: "must be an array of objects with dst and gw",
        max: `must have at most ${POOL_ROUTES_MAX} entries`,
      },
    ),
  ),
};

type Runs = readonly { readonly text: string; readonly interval: AddressSet[number] }[];

/** These fields after each of them is valid on its own. */
export interface SetFields {
  readonly cidr: Cidr;
  readonly ranges?: Runs | undefined;
  readonly excludes?: Runs | undefined;
  readonly gateway?: Address | undefined;
  readonly routes?: readonly Route[] | undefined;
  readonly borrowing?: Borrowing | undefined;
  readonly assignmentMode?: AssignmentMode | undefined;
}

/** Returns the part of a pool that these fields say. */
export const setSpec = ({
  ranges,
  excludes,
  gateway,
  routes,
}: SetFields): Pick<PoolSpec, "ranges" | "excludes" | "gateway" | "routes"> => ({
  ...(ranges && { ranges: setFrom(ranges) }),
  ...(excludes && excludes.length > 0 && { excludes: setFrom(excludes) }),
  ...(gateway && { gateway }),
  ...(routes && routes.length > 0 && { routes }),
});

const setFrom = (runs: Runs): AddressSet =>
  runs.length === 0 ? NO_ADDRESSES : merged(runs.map(({ interval }) => interval));

export function setProblems(pool: SetFields): FieldProblem[] {
  const { cidr, ranges, excludes, borrowing, assignmentMode } = pool;
  const problems = [
    ...outside("ranges", ranges, cidr),
    ...outside("excludes", excludes, cidr),
    ...routeProblems(pool),
  ];
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
  return problems.length > 0 ? problems : gatewayProblems(pool);
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

function routeProblems({ cidr, routes = [] }: SetFields): FieldProblem[] {
  const seen = new Set<string>();
  return routes.flatMap(({ dst, gw }, i): FieldProblem[] => {
    const text = formatCidr(dst);
    const isRepeated = seen.has(text);
    seen.add(text);
    const problem =
      dst.family !== cidr.family
        ? `must be an IPv${cidr.family} network, as cidr is`
        : dst.prefix === 0
          ? "must not be the default route, which the workload has from its own network"
          : isRepeated
            ? "must be in one route only"
            : undefined;
    return [
      ...(problem === undefined ? [] : [{ field: `routes[${i}].dst`, value: text, problem }]),
      ...(contains(cidr, gw)
        ? []
        : [
            {
              field: `routes[${i}].gw`,
              value: formatAddress(gw),
              problem: `is not inside of cidr ${formatCidr(cidr)}`,
            },
          ]),
    ];
  });
}

function gatewayProblems(pool: SetFields): FieldProblem[] {
  const { cidr, gateway, ranges } = pool;
  if (!gateway) return [];
  const value = formatAddress(gateway);
  if (!contains(cidr, gateway))
    return [{ field: "gateway", value, problem: `is not inside of cidr ${formatCidr(cidr)}` }];
  const set = setOf({ cidr, ...setSpec(pool) });
  if (!holds(set, gateway)) return [];
  const right = ranges
    ? "take it out of ranges, or put it into excludes"
    : "send ranges without it";
  return [{ field: "gateway", value, problem: `is an address that the pool assigns; ${right}` }];
}

/** Returns the set of a pool as answers and manifests write it. */
export const setAnswer = ({ ranges, excludes, gateway, routes }: PoolSpec) => ({
  ...(ranges && { ranges: formatSet(ranges) }),
  ...(excludes && { excludes: formatSet(excludes) }),
  ...(gateway && { gateway: formatAddress(gateway) }),
  ...(routes && { routes: routesAnswer(routes) }),
});

export const routesAnswer = (routes: readonly Route[]) =>
  routes.map(({ dst, gw }) => ({ dst: formatCidr(dst), gw: formatAddress(gw) }));
