import type { Unreadable } from "../../domain/outcome.ts";

/** What stands in a list and cannot be read, so that nobody takes it for absent; nothing where all was read. */
export const unreadableBody = (unreadable: readonly Unreadable[] = []) =>
  unreadable.length === 0
    ? {}
    : { unreadable: unreadable.map(({ members, message }) => ({ ...members, reason: message })) };
