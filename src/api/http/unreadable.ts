import type { CorruptItemError } from "../../base/outcome.ts";

/** Returns the unreadable items of a list, so that callers do not treat them as absent; nothing if all were read. */
export const unreadableBody = (unreadable: readonly CorruptItemError[]) =>
  unreadable.length === 0
    ? {}
    : { unreadable: unreadable.map(({ members, message }) => ({ ...members, reason: message })) };
