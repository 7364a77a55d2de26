import { describe, expect, it } from "vitest";
import {
  CLOCK_SKEW_MS_MAX,
  GRACE_MS,
  RELEASED_ALLOCATION_KEPT_MS,
} from "../../../src/base/limits.ts";
import { dueAtMsOf, isOver } from "../../../src/kernel/values/allocation.ts";
import { allocationWith } from "../../builders.ts";

describe("an assignment is over", () => {
  it.each([
    { description: "while it is live", allocation: allocationWith(), over: false },
    {
      description: "when it was released",
      allocation: allocationWith({ state: "released" }),
      over: true,
    },
    {
      description: "when one of its two addresses was released",
      allocation: allocationWith({ want: 2, released: new Set(["10.0.0.1"]) }),
      over: false,
    },
    {
      description: "when both of its addresses were released",
      allocation: allocationWith({ want: 2, released: new Set(["10.0.0.1", "10.0.0.2"]) }),
      over: true,
    },
    {
      description: "while an aborted one still has to be released",
      allocation: allocationWith({ state: "aborted" }),
      over: false,
    },
  ])("$description: $over", ({ allocation, over }) => {
    expect(isOver(allocation)).toBe(over);
  });
});

describe("the repair run looks at an assignment", () => {
  const keyed = { ...allocationWith().place, keyed: true };
  const atMs = 1_000;
  it.each([
    ["never while it is live, without a lease", allocationWith({ atMs }), undefined],
    [
      "when its lease is over on every clock",
      allocationWith({ atMs, expiresAtMs: 5_000 }),
      5_000 + CLOCK_SKEW_MS_MAX,
    ],
    [
      "a grace period after it was written as pending",
      allocationWith({ atMs, state: "pending" }),
      atMs + GRACE_MS,
    ],
    [
      "a grace period after it was aborted",
      allocationWith({ atMs, state: "aborted" }),
      atMs + GRACE_MS,
    ],
    [
      "a grace period after its release, while it names what it held",
      allocationWith({ atMs, place: keyed, state: "released" }),
      atMs + GRACE_MS,
    ],
    [
      "a grace period after the last of its addresses was released, while it names what it held",
      allocationWith({ atMs, place: keyed, want: 1, released: new Set(["10.0.0.1"]) }),
      atMs + GRACE_MS,
    ],
    [
      "a day after its release, when nothing of it is left but what its key is told",
      allocationWith({ atMs, place: keyed, state: "released", parts: [] }),
      atMs + RELEASED_ALLOCATION_KEPT_MS,
    ],
  ])("%s", (_, allocation, dueAtMs) => {
    expect(dueAtMsOf(allocation)).toBe(dueAtMs);
  });
});
