import * as v from "valibot";

/** Makes the schema of a text that matches an expression. */
export const pattern = (expression: RegExp, message: string) =>
  v.pipe(v.string(message), v.regex(expression, message));
