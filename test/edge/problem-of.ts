import { expect } from "vitest";
import { type FieldProblem, Problem } from "../../src/contract/schema/problem.ts";

/** Returns the problem of a rejected request, and the fields that it names. */
export function problemIn(result: unknown): { code: string; fields: readonly FieldProblem[] } {
  expect(result).toBeInstanceOf(Problem);
  const { code, members } = result as Problem;
  return { code, fields: (members.fields ?? []) as FieldProblem[] };
}

/** Returns the fields for which a request was rejected, each as `field: problem`. */
export function rejectedFields(result: unknown): string[] {
  const { code, fields } = problemIn(result);
  expect(code).toBe("invalid_request");
  return fields.map(({ field, problem }) => `${field}: ${problem}`);
}
