import * as v from "valibot";
import { addressInCursor, openCursor } from "../../../api/http/cursor.ts";
import type { Event } from "../../../api/http/event.ts";
import { parseHandleWith } from "../../../api/http/parameters.ts";
import { formatAddress } from "../../../net/address.ts";
import { handleQuery } from "../contract/search-request.ts";
import type { HandlePosition } from "../operations/read-handle.ts";

/** The schema of a position in the addresses of a handle. */
export const handlePosition = v.object({
  id: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
  keyed: v.boolean(),
  after: v.optional(addressInCursor),
});

/** Parses the handle of a request, and the page of its addresses. */
export function parseHandlePage(event: Event) {
  const wanted = parseHandleWith(event, handleQuery);
  const { cursor, ...asked } = wanted;
  return { ...asked, ...openCursor(cursor, handleOfCursor(asked), handlePosition) };
}

/** Returns a position as a cursor has it. Inverse of `handlePosition`. */
export const positionBody = ({ after, ...position }: HandlePosition) => ({
  ...position,
  ...(after && { after: formatAddress(after) }),
});

/** Identifies the handle of a cursor. */
export const handleOfCursor = ({
  space,
  handle,
}: {
  readonly space: string;
  readonly handle: string;
}) => ["handle", space, handle];
