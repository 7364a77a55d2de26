import { expect, it } from "vitest";
import { callsToTry } from "./sampled-calls.ts";

const CALLS = ["get", "put", "put", "query", "delete", "get"];

it("a test by itself tries every call", () => {
  expect(callsToTry(CALLS, 3, 1)).toEqual([0, 1, 2, 3, 4, 5]);
});

it("four tests with a sample each try every call together, and each of them at least one", () => {
  const tried = [0, 1, 2, 3].map((test) => callsToTry(CALLS, test, 4));
  expect(tried).toEqual([[0, 4], [1, 5], [2], [3]]);
  expect(callsToTry(["get"], 3, 4)).toEqual([0]);
});
