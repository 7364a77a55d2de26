import { expect, it } from "vitest";
import { errorLine } from "../../../src/api/http/error-line.ts";
import {
  ContentionError,
  CorruptItemError,
  Rejection,
  ThrottledError,
  UnavailableError,
} from "../../../src/base/outcome.ts";

const PLACES = expect.stringMatching(/^( +at .*:\d+:\d+\)?\n?)+$/);

it("an unreadable item is told by its kind and its formats, without its name", () => {
  const why = "has format 6, and this version reads format 5";
  const members = { item: "pool hunter2", format: 6, reads: 5 };
  expect(errorLine(new CorruptItemError(members, why, { kind: "SPACE/POOL" }))).toEqual({
    name: "CorruptItemError",
    kind: "SPACE/POOL",
    problem: why,
    stack: PLACES,
  });
});

it("a value that cannot be read is told by the place that rejects it", () => {
  const cause = new Error('"hunter2" is no label');
  const members = { item: "node hunter2" };
  const why = `cannot be read: ${cause.message}`;
  const line = errorLine(new CorruptItemError(members, why, { cause, kind: "HOST/NODE" }));
  expect(line).toEqual({
    name: "CorruptItemError",
    kind: "HOST/NODE",
    problem: "cannot be read",
    stack: PLACES,
    cause: { name: "Error", stack: PLACES },
  });
});

it("a handle that an error carries for the answer is not in the line", () => {
  const error = new UnavailableError("the database did not answer a read");
  error.handle = "hunter2";
  expect(errorLine(error)).toEqual({
    name: "UnavailableError",
    message: "the database did not answer a read",
    stack: PLACES,
  });
});

it("an error of AWS has its name, its status and the id of its request; its message only if it names ARNs alone", () => {
  const $metadata = { httpStatusCode: 400, requestId: "R1" };
  const answered = (name: string) => Object.assign(new Error("of hunter2"), { name, $metadata });
  const cause = answered("ValidationException");
  expect(errorLine(new ThrottledError("the database throttled a write", { cause }))).toMatchObject({
    message: "the database throttled a write",
    cause: { name: "ValidationException", httpStatusCode: 400, awsRequestId: "R1" },
  });
  expect(errorLine(cause)).not.toHaveProperty("message");
  expect(errorLine(answered("AccessDeniedException")).message).toBe("of hunter2");
});

it.each([
  new ContentionError("the pool hunter2 kept changing"),
  new SyntaxError('Unexpected token "hunter2"\n    at hunter2 (hunter2:1:1)'),
  new Rejection("not_found", "There is no pool hunter2."),
  "hunter2",
])("any other error is told without its message: %s", (error) => {
  expect(JSON.stringify(errorLine(error))).not.toContain("hunter2");
});
