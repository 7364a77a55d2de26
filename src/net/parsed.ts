/** The result of parsing a text: the value, or a sentence that says what is wrong and what would be right. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export const parsed = <T>(value: T): Parsed<T> => ({ ok: true, value });
export const unreadable = (problem: string): { readonly ok: false; readonly problem: string } => ({
  ok: false,
  problem,
});
