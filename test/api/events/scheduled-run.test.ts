import { afterEach, describe, expect, it, vi } from "vitest";
import { logScheduledRun, orFailed, shardOfRun } from "../../../src/api/events/scheduled-run.ts";
import { logger } from "../../../src/api/http/logger.ts";
import { EVERY_SHARD } from "../../../src/base/hash.ts";

describe("the event of a scheduled run", () => {
  it("says which shard to go through", () => {
    expect(EVERY_SHARD.map((shard) => shardOfRun({ shard }))).toEqual(EVERY_SHARD);
  });

  it.each([
    undefined,
    {},
    [],
    "3",
    { shard: "3" },
    { shard: 1.5 },
    { shard: -1 },
    { shard: 16 },
    { shard: 3, more: true },
    { source: "aws.scheduler", detail: "{}" },
  ])("that says something else is rejected, with what it says: %j", (event) => {
    expect(() => shardOfRun(event)).toThrow(
      /^the event is .*; it must be \{"shard": n\} with n from 0 to 15$/,
    );
  });
});

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

type Done = Parameters<typeof logScheduledRun>[1] & { readonly groups: number };

afterEach(() => {
  vi.restoreAllMocks();
});

it("a scheduled run in which all went well is a line without failures", () => {
  const info = vi.spyOn(logger, "info").mockImplementation(() => {});
  const done: Done = { groups: 7, failures: [] };
  logScheduledRun("reclaimed", done);
  expect(info.mock.calls).toEqual([["reclaimed", { groups: 7 }]]);
});

it("a scheduled run that went on after failures says how many, in the field that the alarm counts, and shows the first", () => {
  const warn = vi.spyOn(logger, "warn").mockImplementation(() => {});
  const first = new Error("block 10.0.0.0 cannot be read");
  const failures = [first, new Error("another")];
  const done: Done = { groups: 7, failures };
  logScheduledRun("reclaimed", done);
  expect(warn.mock.calls).toEqual([["reclaimed", { groups: 7, failed: 2, error: first }]]);
});
