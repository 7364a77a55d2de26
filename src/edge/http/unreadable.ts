import type { CorruptItemError } from "../../domain/outcome.ts";

/** What stands in a list and cannot be read, so that nobody takes it for absent; nothing where all was read. */
export const unreadableBody = (unreadable: readonly CorruptItemError[] = []) =>
  unreadable.length === 0
    ? {}
    : { unreadable: unreadable.map(({ members, message }) => ({ ...members, reason: message })) };
