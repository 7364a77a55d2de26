import * as v from "valibot";
import { next, requestId, unreadableItem } from "../../../api/answer-parts.ts";
import { blockStatus } from "../../block/contract/answer.ts";

const space = v.pipe(v.string(), v.description("The space of the block"));

export const contentsRead = v.strictObject({
  requestId,
  contents: v.pipe(
    v.record(v.string(), v.array(v.unknown())),
    v.description(
      'Items by their kind. Values that JSON cannot express have a form of their own: {"$map": [[key, value]]}, {"$set": []}, {"$bigint": ""} and {"$bytes": base64}. Any other key that begins with $ has a second $',
    ),
  ),
  next,
});

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
