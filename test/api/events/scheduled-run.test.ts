import { afterEach, describe, expect, it, vi } from "vitest";
import {
  logScheduledRun,
  orFailed,
  type ScheduledRunDone,
  shardsOfRun,
} from "../../../src/api/events/scheduled-run.ts";
import { logger } from "../../../src/api/http/logger.ts";
import { EVERY_SHARD } from "../../../src/base/hash.ts";
import { InMemoryTable } from "../../../src/table/in-memory-table.ts";
import { wiringOver } from "../../../src/wiring.ts";

describe("the event of a scheduled run", () => {
  it("says which shards to go through", () => {
    expect(shardsOfRun({ shards: EVERY_SHARD })).toEqual(EVERY_SHARD);
    expect(shardsOfRun({ shards: [15] })).toEqual([15]);
  });

  it.each([
    undefined,
    {},
    [],
    "3",
    { shards: 3 },
    { shards: [] },
    { shards: ["3"] },
    { shards: [1.5] },
    { shards: [-1] },
    { shards: [16] },
    { shards: [3, 3] },
    { shards: [3], more: true },
    { source: "aws.scheduler", detail: "{}" },
  ])("that says something else is rejected, with what it says: %j", (event) => {
    expect(() => shardsOfRun(event)).toThrow(
      /^the event is .*; it must be \{"shards": \[n, …\]\} with different n from 0 to 15$/,
    );
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it("a run that throws is a line with the reason, and an error without it, so that Lambda repeats the run and logs no name", async () => {
  const logged = vi.spyOn(logger, "error").mockImplementation(() => {});
  const error = new TypeError("of hunter2");
  await expect(orFailed({ requestId: "R1" }, () => Promise.reject(error))).rejects.toThrow(
    /^the run failed; the line before this one has the reason$/,
  );
  expect(logged.mock.calls).toEqual([["failed", { requestId: "R1", error }]]);
});

it("a run that ends well returns what it returned", async () => {
  expect(await orFailed({ requestId: "R1" }, async () => 7)).toBe(7);
});

type Done = ScheduledRunDone & { readonly groups: number };

it("a scheduled run in which all went well is a line without failures", () => {
  const info = vi.spyOn(logger, "info").mockImplementation(() => {});
  const done: Done = { groups: 7, failures: [] };
  logScheduledRun("reclaim", done);
  expect(info.mock.calls).toEqual([["reclaimed", { groups: 7 }]]);
});

it("a scheduled run that went on after failures says how many, in the field that the alarm counts, and shows the first", () => {
  const warn = vi.spyOn(logger, "warn").mockImplementation(() => {});
  const first = new Error("block 10.0.0.0 cannot be read");
  const failures = [first, new Error("another")];
  const done: Done = { groups: 7, failures };
  logScheduledRun("reclaim", done);
  expect(warn.mock.calls).toEqual([["reclaimed", { groups: 7, failed: 2, error: first }]]);
});

describe("a scheduled run over shards", () => {
  const { connect } = wiringOver(new InMemoryTable());

  /** Runs over shards, and returns how it ended, what it logged, and the metrics that it wrote. */
  async function ran(shards: readonly number[], run: (shard: number) => Promise<Done>) {
    vi.stubEnv("METRICS_NAMESPACE", "plat-dev-stateless");
    vi.resetModules();
    const { shardedRun } = await import("../../../src/api/events/scheduled-run.ts");
    const { logger } = await import("../../../src/api/http/logger.ts");
    const logged: unknown[] = [];
    for (const level of ["info", "warn", "error"] as const)
      vi.spyOn(logger, level).mockImplementation((said, about) => void logged.push([said, about]));
    const metrics: unknown[] = [];
    vi.spyOn(process.stdout, "write").mockImplementation((line) => {
      metrics.push(JSON.parse(String(line)));
      return true;
    });
    const ended = await shardedRun("reclaim", { connect }, (_plat, shard) => run(shard))(
      { shards },
      { awsRequestId: "R1" },
    ).catch(({ name }: Error) => name);
    return { ended, logged, metrics };
  }

  it("is one line with the sums of all, and a heartbeat for each shard", async () => {
    const { ended, logged, metrics } = await ran([1, 2, 5], async (shard) => ({
      groups: shard,
      oldestDueSeconds: 10 - shard,
      failures: [],
    }));
    expect(ended).toBeUndefined();
    expect(logged).toEqual([["reclaimed", { groups: 8, oldestDueSeconds: 9 }]]);
    expect(metrics).toMatchObject([{ run: "reclaim", Heartbeat: 3, OldestDue: 9 }]);
  });

  it("goes through all its shards if one fails, which has no heartbeat and is told by its number, and fails then", async () => {
    const reason = new Error("the table is away");
    const gone: number[] = [];
    const { ended, logged, metrics } = await ran([0, 1, 2], async (shard) => {
      if (shard === 1) throw reason;
      await Promise.resolve();
      gone.push(shard);
      return { groups: 1, failures: [] };
    });
    expect(gone).toEqual([0, 2]);
    expect(ended).toBe("FailedRunError");
    expect(logged).toEqual([
      ["failed", { requestId: "R1", shard: 1, error: reason }],
      ["reclaimed", { groups: 2 }],
    ]);
    expect(metrics).toMatchObject([{ run: "reclaim", Heartbeat: 2 }]);
  });

  it("says that the table is frozen if a shard finds it so, and does not fail, because it need not come again", async () => {
    const { ended, logged, metrics } = await ran([0, 1, 2], async (shard) => {
      // The modules were loaded anew, and the class with them.
      const { TableFrozenError } = await import("../../../src/base/outcome.ts");
      if (shard === 0) throw new TableFrozenError("the table went back in time");
      if (shard === 1) throw new Error("the table is away");
      return { groups: 1, failures: [] };
    });
    expect(ended).toBeUndefined();
    expect(logged).toMatchObject([
      ["failed", { requestId: "R1", shard: 1 }],
      ["reclaimed", { groups: 1 }],
      ["frozen", { why: expect.stringContaining("the table went back in time") }],
    ]);
    expect(metrics).toMatchObject([{ run: "reclaim", Heartbeat: 1 }, { TableFrozen: 1 }]);
  });
});
