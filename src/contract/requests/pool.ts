import * as v from "valibot";
import { COOLDOWN_SECONDS_MAX, PREFIX_COOLDOWN_SECONDS_DEFAULT } from "../../domain/limits.ts";
import { ASSIGNS, assignsPrefixes, BORROWING, type PoolSpec } from "../../domain/pool.ts";
import { flagText, resourceName, text, whole } from "../schema/field.ts";
import {
  CONDITION_FIELDS,
  conditionsOf,
  POOL_FIELDS,
  PRINCIPALS,
  poolProblems,
  poolSpec,
  ROUTING_FIELDS,
  routingProblems,
} from "../schema/pool-fields.ts";
import { NETWORK_FIELDS } from "../schema/pool-network.ts";
import { parentProblems } from "../schema/pool-parent.ts";
import { SET_FIELDS } from "../schema/pool-ranges.ts";
import { Problem } from "../schema/problem.ts";
import { checked, fields, rule } from "../schema/schema.ts";
import type { NameInBody } from "./names.ts";
import { DRY_RUN } from "./query.ts";

export const poolBody = v.pipe(
  fields({
    ...POOL_FIELDS,
    ...CONDITION_FIELDS,
    ...SET_FIELDS,
    ...NETWORK_FIELDS,
    principals: PRINCIPALS,
    assign: v.optional(v.picklist(ASSIGNS, `must be ${ASSIGNS.join(" or ")}`), "addresses"),
    parent: v.optional(resourceName),
    cooldownSeconds: v.optional(whole(0, COOLDOWN_SECONDS_MAX)),
    borrowing: v.optional(v.picklist(BORROWING, `must be ${BORROWING.join(" or ")}`)),
    // A caller can change the answer of a GET and PUT it back.
    name: v.optional(resourceName),
    routing: v.optional(fields(ROUTING_FIELDS), {}),
    state: v.optional(text),
    job: v.optional(text),
  }),
  rule((pool) => [
    ...poolProblems(pool),
    ...parentProblems(pool),
    ...routingProblems(pool, pool.routing).map((problem) => ({ ...problem, field: "routing" })),
  ]),
);

/** Selects the blocks of a pool whose affinities are released. */
export const poolReleaseQuery = { ...DRY_RUN, mustBeEmpty: v.optional(flagText, "false") };

/** The content of the body of a PUT, in either of its forms. */
export interface PoolDocument {
  readonly name?: NameInBody | undefined;
  readonly spec: PoolSpec;
}

/** Reads a pool in Plat's own form. */
export function readPool(value: unknown): PoolDocument | Problem {
  const input = checked(poolBody, value);
  if (input instanceof Problem) return input;
  const { name, routing } = input;
  const cooldownSeconds = input.cooldownSeconds ?? usualCooldownOf(input);
  return {
    ...(name !== undefined && { name: { field: "name", value: name } }),
    spec: {
      ...poolSpec(input, routing),
      ...conditionsOf(input),
      ...(input.principals && { principals: input.principals }),
      ...(cooldownSeconds !== undefined && { cooldownSeconds }),
    },
  };
}

/** Returns the cooldown of a pool whose fields name none: that of the space for addresses, and a longer one for prefixes. */
const usualCooldownOf = (pool: Parameters<typeof assignsPrefixes>[0]): number | undefined =>
  assignsPrefixes(pool) ? PREFIX_COOLDOWN_SECONDS_DEFAULT : undefined;
