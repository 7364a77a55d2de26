import { afterEach, expect, it, vi } from "vitest";
import { logScheduledRun } from "../../../src/api/events/scheduled-run-log.ts";
import { logger } from "../../../src/api/http/logger.ts";

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
