import * as v from "valibot";
import { addressInCursor, openCursor } from "../../../api/http/cursor.ts";
import type { Event } from "../../../api/http/event.ts";
import { parseNamedWith } from "../../../api/http/parameters.ts";
import { utilizationQuery } from "../contract/request.ts";

/** A count of addresses, at most 2^128, as a decimal text. */
const count = v.pipe(
  v.string(),
  v.regex(/^\d{1,39}$/),
  v.transform((text) => BigInt(text)),
);

/** The position of a count in a pool; the inverse of its form in the answer. */
export const utilizationPosition = v.object({
  poolId: v.string(),
  after: addressInCursor,
  sum: v.pipe(
    v.object({
      inUse: count,
      hostReserved: count,
      reserved: count,
      cooling: count,
      available: count,
    }),
    v.transform((sum) => ({
      ...sum,
      capacity: sum.inUse + sum.hostReserved + sum.reserved + sum.cooling + sum.available,
    })),
  ),
  reservedInBlocks: count,
});

/** Parses the pool to count, and the start position. */
export function parseUtilizationPath(event: Event) {
  const wanted = parseNamedWith(event, utilizationQuery);
  const { cursor, ...asked } = wanted;
  return { ...asked, ...openCursor(cursor, utilizationOf(asked), utilizationPosition) };
}

/** Identifies the pool of a cursor. */
export const utilizationOf = ({
  space,
  name,
}: {
  readonly space: string;
  readonly name: string;
}) => ["utilization", space, name];
