import * as v from "valibot";
import {
  candidate,
  missing,
  poolRule,
  problemCode,
  requestId,
  time,
  whole,
} from "./answer-parts.ts";

export const fieldAtFault = v.strictObject({
  field: v.string(),
  value: v.optional(v.unknown()),
  problem: v.string(),
});

/** A problem document of RFC 9457. It can have further members. */
export const problem = v.looseObject({
  type: v.string(),
  title: v.string(),
  status: v.pipe(v.number(), v.integer()),
  detail: v.string(),
  code: problemCode,
  retryable: v.boolean(),
  requestId,
  fields: v.optional(v.array(fieldAtFault)),
  retryAfterSeconds: v.optional(whole),
  availableAt: v.optional(
    v.pipe(time, v.description("When the request can succeed without anybody's act")),
  ),
  cooling: v.optional(v.pipe(whole, v.description("The number of addresses that cool"))),
  assignedTo: v.optional(
    v.pipe(v.string(), v.description("The handle that has the address, for `already_assigned`")),
  ),
  rule: v.optional(poolRule),
  missing: v.optional(missing),
  nodes: v.optional(
    v.pipe(v.array(v.string()), v.description("Some of the missing nodes, for `too_many_missing`")),
  ),
  count: v.optional(v.pipe(whole, v.description("The number of missing nodes"))),
  poolsTried: v.optional(whole),
  poolsServing: v.optional(whole),
  pools: v.optional(
    v.pipe(
      v.array(
        v.looseObject({
          pool: candidate.pool,
          code: candidate.code,
          reason: candidate.reason,
        }),
      ),
      v.description("The pools that were considered"),
    ),
  ),
});
