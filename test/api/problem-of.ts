import { expect } from "vitest";
import { type FieldProblem, orProblem, Problem } from "../../src/api/schema/problem.ts";

/** Returns the problem that a parser throws, and the fields that it names. */
export function problemIn(parse: () => unknown): {
  code: string;
  fields: readonly FieldProblem[];
} {
  const problem = orProblem(parse);
  if (!(problem instanceof Problem)) expect.fail("the parser threw no problem");
  const { code, members } = problem;
  return { code, fields: (members.fields ?? []) as FieldProblem[] };
}

/** Returns the fields for which a parser rejects a request, each as `field: problem`. */
export function rejectedFields(parse: () => unknown): string[] {
  const { code, fields } = problemIn(parse);
  expect(code).toBe("invalid_request");
  return fields.map(({ field, problem }) => `${field}: ${problem}`);
}
