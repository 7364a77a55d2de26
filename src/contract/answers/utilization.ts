import * as v from "valibot";
import { blockStatus, blockUsage, unit, usage, usageCounted } from "./block.ts";
import { next, requestId, unreadableItem } from "./parts.ts";

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
  orphans: v.optional(
    v.pipe(v.array(blockStatus), v.description("With `orphans`: blocks of no pool")),
  ),
  unreadable: v.optional(
    v.pipe(
      v.array(unreadableItem),
      v.description("With `orphans`: unreadable blocks that may belong to no pool"),
    ),
  ),
  complete: v.pipe(
    v.boolean(),
    v.description("Whether this is the last page. Each pool occurs once, as a whole, on any page"),
  ),
  next,
});
