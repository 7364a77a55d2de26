import * as v from "valibot";

/** Makes the schema of a text that matches an expression. */
export const pattern = (expression: RegExp, message: string) =>
  v.pipe(v.string(message), v.regex(expression, message));

/** The name of a table that there is. */
export const dynamoTable = pattern(/^[\w.-]{3,255}$/, "must be the name of a DynamoDB table");
