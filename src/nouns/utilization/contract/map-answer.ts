import * as v from "valibot";
import { next, requestId, time, unreadableItems, whole } from "../../../api/answer-parts.ts";
import { unit } from "../../block/contract/answer.ts";
import { eachCount, NO_USAGE } from "../usage.ts";

const hostNumber = v.pipe(whole, v.description("A place in `hosts`, from 0"));

/** A column of the blocks of a group: a number for each block. */
const column = v.array(whole);

export const mappedGroup = v.strictObject({
  cidr: v.string(),
  blocks: v.pipe(whole, v.description("The number of its blocks")),
  hosts: v.pipe(v.array(hostNumber), v.description("The hosts of its blocks, each once")),
  ...eachCount(NO_USAGE, () => whole),
});

/** The columns of counts. The blocks of a group have one size, so there is none of capacities. */
const { capacity: _, ...columns } = eachCount(NO_USAGE, () => column);

export const mappedBlocks = v.strictObject({
  cidr: v.string(),
  blocks: v.pipe(column, v.description("The places of the blocks in the group, from 0 to 63")),
  hosts: v.pipe(
    v.array(v.nullable(hostNumber)),
    v.description("The host of each block; `null` for a block without one"),
  ),
  ...columns,
});

export const poolMapRead = v.strictObject({
  requestId,
  pool: v.string(),
  cidr: v.string(),
  unit,
  blockSize: whole,
  readAt: v.pipe(
    time,
    v.description("When Plat began to read this page. Writes of the second before may be missing"),
  ),
  hosts: v.pipe(v.array(v.string()), v.description("The hosts of the blocks on this page")),
  groups: v.optional(
    v.pipe(
      v.array(mappedGroup),
      v.description("The block groups that have blocks, in order of address"),
    ),
  ),
  blocks: v.optional(
    v.pipe(
      v.array(mappedBlocks),
      v.description("With `detail=blocks`, instead of `groups`: the blocks of each group"),
    ),
  ),
  unreadable: unreadableItems,
  next,
  ranges: v.optional(
    v.pipe(
      v.array(v.string()),
      v.description(
        "On the first of more pages: cursors of ranges of the rest. Send them side by side instead of `next`; a range has pages of its own",
      ),
    ),
  ),
});
