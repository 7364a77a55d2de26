/**
 * Returns the handle of the prefixes that a caller's handle has. It is none that a caller can name for addresses, so a release of
 * addresses never takes a prefix.
 */
export const prefixHandle = (handle: string): string => `${PREFIX}${handle}`;

/** Returns the caller's name for a handle of prefixes; nothing for another handle. */
export const handleOfPrefixes = (handle: string): string | undefined =>
  handle.startsWith(PREFIX) && handle.length > PREFIX.length
    ? handle.slice(PREFIX.length)
    : undefined;

const PREFIX = "prefix/";

/** The characters that `prefixHandle` adds to a handle. */
export const PREFIX_HANDLE_CHARACTERS = PREFIX.length;
