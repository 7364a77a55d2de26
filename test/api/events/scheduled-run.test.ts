import { describe, expect, it } from "vitest";
import { shardOfRun } from "../../../src/api/events/scheduled-run.ts";
import { EVERY_SHARD } from "../../../src/base/shard.ts";

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
