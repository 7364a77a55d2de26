import { SPACE_DEFAULT } from "../../api/route.ts";

/**
 * Returns a text as a terminal may get it: each control character is shown as its code, such as `\u001b`. Whoever may assign chooses
 * attributes, and an escape sequence in one would act in the terminal of an operator.
 *
 * @param kept a control character that the text may have
 */
export const printable = (text: string, kept = ""): string =>
  text.replace(/\p{Cc}/gu, (one) =>
    one === kept ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Returns a word as a shell takes it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Returns a line of the command for a person to type, in the space of the command that names it. */
export const lineOf = (words: readonly string[], space: string): string =>
  ["plat", ...words, ...(space === SPACE_DEFAULT ? [] : ["--space", space])].map(quoted).join(" ");
