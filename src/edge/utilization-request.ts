import * as v from "valibot";
import { BLOCKS_PER_PAGE_MAX } from "../domain/limits.ts";
import { addressInCursor, openCursor } from "./cursor.ts";
import { wholeText } from "./field.ts";
import type { Event } from "./http.ts";
import { readNamedWith } from "./parameters.ts";
import { Problem } from "./problem.ts";

/** A count of addresses, at most 2^128, as a decimal text. */
const count = v.pipe(
  v.string(),
  v.regex(/^\d{1,39}$/),
  v.transform((text) => BigInt(text)),
);

/** How far a pool is counted; inverse of what the answer makes of it. */
export const utilizationPosition = v.object({
  poolId: v.string(),
  after: addressInCursor,
  sum: v.pipe(
    v.object({ inUse: count, held: count, reserved: count, cooling: count, available: count }),
    v.transform((sum) => ({
      ...sum,
      capacity: sum.inUse + sum.held + sum.reserved + sum.cooling + sum.available,
    })),
  ),
  reservedInBlocks: count,
});

export const utilizationQuery = {
  limit: v.optional(wholeText(1, BLOCKS_PER_PAGE_MAX)),
  cursor: v.optional(v.string()),
};

/** Reads which pool is to be counted, and from where on. */
export function readUtilizationPath(event: Event) {
  const wanted = readNamedWith(event, utilizationQuery);
  if (wanted instanceof Problem) return wanted;
  const { cursor, ...asked } = wanted;
  const opened = openCursor(cursor, utilizationOf(asked), utilizationPosition);
  return opened instanceof Problem ? opened : { ...asked, ...opened };
}

/** What a cursor of a pool's utilization is bound to. */
export const utilizationOf = ({
  space,
  name,
}: {
  readonly space: string;
  readonly name: string;
}) => ["utilization", space, name];
