import { describe, expect, it } from "vitest";
import { dueAtMsOf, isOver } from "../../src/domain/allocation.ts";
import { CLOCK_SKEW_MS_MAX, GRACE_MS, RELEASED_RECORD_KEPT_MS } from "../../src/domain/limits.ts";
import { recordWith } from "./builders.ts";

describe("an assignment is over", () => {
  it.each([
    { description: "while it is live", record: recordWith(), over: false },
    { description: "when it was released", record: recordWith({ state: "released" }), over: true },
    {
      description: "when one of its two addresses was given back",
      record: recordWith({ want: 2, given: new Set(["10.0.0.1"]) }),
      over: false,
    },
    {
      description: "when both of its addresses were given back",
      record: recordWith({ want: 2, given: new Set(["10.0.0.1", "10.0.0.2"]) }),
      over: true,
    },
    {
      description: "while an aborted one still has to be given back",
      record: recordWith({ state: "aborted" }),
      over: false,
    },
  ])("$description: $over", ({ record, over }) => {
    expect(isOver(record)).toBe(over);
  });
});

describe("the collector looks at an assignment", () => {
  const keyed = { ...recordWith().place, keyed: true };
  const atMs = 1_000;
  it.each([
    ["never while it is live, without a lease", recordWith({ atMs }), undefined],
    [
      "when its lease is over on every clock",
      recordWith({ atMs, expiresAtMs: 5_000 }),
      5_000 + CLOCK_SKEW_MS_MAX,
    ],
    ["a grace period after its head was put", recordWith({ atMs, state: "open" }), atMs + GRACE_MS],
    [
      "a grace period after it was aborted",
      recordWith({ atMs, state: "aborted" }),
      atMs + GRACE_MS,
    ],
    [
      "a grace period after its release, while it names what it held",
      recordWith({ atMs, place: keyed, state: "released" }),
      atMs + GRACE_MS,
    ],
    [
      "a grace period after the last of its addresses was given back, while it names what it held",
      recordWith({ atMs, place: keyed, want: 1, given: new Set(["10.0.0.1"]) }),
      atMs + GRACE_MS,
    ],
    [
      "a day after its release, when nothing of it is left but what its key is told",
      recordWith({ atMs, place: keyed, state: "released", parts: [] }),
      atMs + RELEASED_RECORD_KEPT_MS,
    ],
  ])("%s", (_, record, dueAtMs) => {
    expect(dueAtMsOf(record)).toBe(dueAtMs);
  });
});
