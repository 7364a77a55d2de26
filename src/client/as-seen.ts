import type { Reply } from "./request.ts";

/** An object as it was read; nothing if it was not there. */
export type Seen = Pick<Reply<unknown>, "etag"> | undefined;

/** Returns the precondition of a write: the ETag that was read, or that the object does not exist. */
export const asSeen = (seen: Seen) =>
  seen?.etag === undefined ? { ifNoneMatch: "*" } : { ifMatch: seen.etag };
