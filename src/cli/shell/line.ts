import { SPACE_DEFAULT } from "../../api/route.ts";

/** Returns a word as a shell takes it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Returns a line of the command for a person to type, in the space of the command that names it. */
export const lineOf = (words: readonly string[], space: string): string =>
  ["plat", ...words, ...(space === SPACE_DEFAULT ? [] : ["--space", space])].map(quoted).join(" ");
