import * as v from "valibot";
import { CHILD_POOLS_TOLD_MAX } from "../../domain/limits.ts";
import { blockStatus, blockUsage, unit, usage, usageCounted } from "./block.ts";
import { next, requestId, time, unreadableItem, whole } from "./parts.ts";

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

const space = v.pipe(v.string(), v.description("The space of the block"));

export const orphansRead = v.strictObject({
  requestId,
  orphans: v.pipe(
    v.array(v.strictObject({ space, ...blockStatus.entries })),
    v.description("Blocks of no pool, or of a pool whose index does not name their block group"),
  ),
  unreadable: v.optional(
    v.pipe(
      v.array(v.strictObject({ space, ...unreadableItem.entries })),
      v.description("Blocks that may be orphans: they cannot be read, or their pool cannot"),
    ),
  ),
  complete: v.pipe(
    v.boolean(),
    v.description("Whether the whole table was searched; `next` continues the search"),
  ),
  next,
});
