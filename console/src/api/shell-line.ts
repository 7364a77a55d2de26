/** Text that a shell replaces by the values of variables. */
export interface WithVariables {
  readonly text: string;
}

/** Returns a line for a shell, which takes each word as it is, and the variables in a text with variables. */
export const shellLine = (words: readonly (string | WithVariables)[]): string =>
  words.map((word) => (typeof word === "string" ? quoted(word) : `"${word.text}"`)).join(" ");

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
