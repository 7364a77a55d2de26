import * as v from "valibot";
import { blockStanding, blockUsage, usage, usageCounted } from "./block.ts";
import { next, requestId, unreadableItem } from "./parts.ts";

export const utilizationRead = v.strictObject({
  requestId,
  pool: v.string(),
  cidr: v.string(),
  ...usage,
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Is this the last page, on which the sums are those of the whole pool? On any other they are those of the blocks so far",
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
      ...usage,
      outsideBlocks: usageCounted,
    }),
  ),
  orphans: v.optional(
    v.pipe(v.array(blockStanding), v.description("Blocks of no pool, where they are asked for")),
  ),
  unreadable: v.optional(
    v.pipe(
      v.array(unreadableItem),
      v.description(
        "Blocks, where those of no pool are asked for, of which nobody can read whether they are",
      ),
    ),
  ),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Is this the last page? Each pool is told once, as a whole, whatever page it is on",
    ),
  ),
  next,
});
