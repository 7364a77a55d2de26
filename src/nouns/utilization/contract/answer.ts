import * as v from "valibot";
import { next, requestId, time, whole } from "../../../api/answer-parts.ts";
import { CHILD_POOLS_TOLD_MAX } from "../../../base/limits.ts";
import { blockUsage, unit, usage, usageCounted } from "../../block/contract/answer.ts";

export const childUsage = v.strictObject({
  pool: v.string(),
  cidr: v.string(),
  unit,
  ...v.partial(v.object(usage)).entries,
  countedAt: v.optional(
    v.pipe(time, v.description("When `reclaim` last counted the pool. It has no counts before")),
  ),
});

export const utilizationRead = v.strictObject({
  requestId,
  pool: v.string(),
  cidr: v.string(),
  unit,
  ...usage,
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Whether this is the last page. Its sums are those of the whole pool; the sums of earlier pages are those of the blocks so far",
    ),
  ),
  blocks: v.array(blockUsage),
  outsideBlocks: v.optional(usageCounted),
  children: v.optional(
    v.pipe(
      v.array(childUsage),
      v.description(
        `On the last page: the pools that are made of prefixes of this one, by name, the first ${CHILD_POOLS_TOLD_MAX}`,
      ),
    ),
  ),
  childCount: v.optional(
    v.pipe(whole, v.description("The number of pools that are made of prefixes of this one")),
  ),
  next,
});

export const spaceUtilizationRead = v.strictObject({
  requestId,
  pools: v.array(
    v.strictObject({
      pool: v.string(),
      cidr: v.string(),
      unit,
      ...usage,
      outsideBlocks: usageCounted,
    }),
  ),
  complete: v.pipe(
    v.boolean(),
    v.description("Whether this is the last page. Each pool occurs once, as a whole, on any page"),
  ),
  next,
});
