import { afterEach, expect, it, vi } from "vitest";
import { orFailed } from "../../../src/api/events/failed-run.ts";
import { logger } from "../../../src/api/http/logger.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("a run that throws is a line with the reason, and an error without it, so that Lambda repeats the run and logs no name", async () => {
  const logged = vi.spyOn(logger, "error").mockImplementation(() => {});
  const error = new TypeError("of hunter2");
  await expect(orFailed("R1", () => Promise.reject(error))).rejects.toThrow(
    /^the run failed; the line before this one has the reason$/,
  );
  expect(logged.mock.calls).toEqual([["failed", { requestId: "R1", error }]]);
});

it("a run that ends well returns what it returned", async () => {
  expect(await orFailed("R1", async () => 7)).toBe(7);
});
