import * as v from "valibot";
import type { HandlePosition } from "../../allocator/read/read-handle.ts";
import { handleQuery } from "../../contract/requests/handle.ts";
import { formatAddress } from "../../domain/address.ts";
import { addressInCursor, openCursor } from "../http/cursor.ts";
import type { Event } from "../http/event.ts";
import { readHandleWith } from "../http/parameters.ts";

/** The schema of a position in the addresses of a handle. */
export const handlePosition = v.object({
  id: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
  keyed: v.boolean(),
  after: v.optional(addressInCursor),
});

/** Reads the handle of a request, and the page of its addresses. */
export function readHandlePage(event: Event) {
  const wanted = readHandleWith(event, handleQuery);
  const { cursor, ...asked } = wanted;
  return { ...asked, ...openCursor(cursor, handleOf(asked), handlePosition) };
}

/** Returns a position as a cursor has it. Inverse of `handlePosition`. */
export const positionBody = ({ after, ...position }: HandlePosition) => ({
  ...position,
  ...(after && { after: formatAddress(after) }),
});

/** Identifies the handle of a cursor. */
export const handleOf = ({
  space,
  handle,
}: {
  readonly space: string;
  readonly handle: string;
}) => ["handle", space, handle];
