import { describe, expect, it } from "vitest";
import {
  CONFIGURATION_FRESH_MS,
  CONFIGURATION_JITTER_MS,
  CONFIGURATION_RELOAD_MS,
  EFFECTIVE_MS_MAX,
  REQUEST_MS_MAX,
} from "../../../src/base/limits.ts";
import { CorruptItemError } from "../../../src/base/outcome.ts";
import {
  comingBack,
  endsNotBeforeMs,
  JOB_GROUPS_TO_COME_BACK_TO_MAX,
  passedBy,
  provesEmpty,
  provesFromMs,
  RANGE_RETIRED_MS_MIN,
  waitingFor,
  walked,
  walkFrom,
} from "../../../src/nouns/job/job.ts";
import { jobWith, NOW_MS } from "../../builders.ts";

const NOTHING = { groups: 3, blocks: 0, deleted: 0, taken: 0, cooling: 0 };

describe("a walk proves that a pool is empty for good", () => {
  it.each(["pool.drain", "pool.delete", "pool.shrink"] as const)(
    "of a %s only when it began late enough and found no block",
    (kind) => {
      const job = jobWith({ kind, markedAtMs: NOW_MS });
      const fromMs = provesFromMs(job, NOW_MS);
      expect(provesEmpty(job, walkFrom(fromMs))).toBe(true);
      expect(provesEmpty(job, walkFrom(fromMs - 1))).toBe(false);
      // One that was given up by this very walk is looked for once more.
      expect(provesEmpty(job, { ...walkFrom(fromMs), blocks: 1, deleted: 1 })).toBe(false);
      expect(provesEmpty(jobWith({ kind }), walkFrom(fromMs))).toBe(false);
    },
  );

  it("never where it passed a block group by, saw something that it could not read, or went through some block groups alone", () => {
    const job = jobWith({ kind: "pool.delete", markedAtMs: NOW_MS });
    const walk = walkFrom(provesFromMs(job, NOW_MS));
    const silent = passedBy(walk, 3n, new Error("it does not answer"));
    expect(provesEmpty(job, silent)).toBe(false);
    // So it is for a version that knows nothing of block groups that are passed by.
    expect(silent.blocks).toBe(1);
    expect(provesEmpty(job, { ...silent, blocks: 0 })).toBe(false);
    const seen = { blocks: 0, deleted: 0, taken: 0, cooling: 0 };
    expect(provesEmpty(job, walked(walk, 3n, { ...seen, unreadable: "a block" }))).toBe(false);
    expect(provesEmpty(job, { ...walk, only: [3n] })).toBe(false);
    expect(provesEmpty(job, walked(walk, 3n, seen))).toBe(true);
  });

  it.each(["pool.delete", "pool.shrink"] as const)(
    "of a %s only when no copy of the configuration can be older, and no request of it can be under way",
    (kind) => {
      const copyMsMax = CONFIGURATION_RELOAD_MS + CONFIGURATION_FRESH_MS + CONFIGURATION_JITTER_MS;
      expect(provesFromMs({ kind }, 0)).toBeGreaterThan(copyMsMax + REQUEST_MS_MAX);
    },
  );
});

describe("what a job waits for is said in a sentence", () => {
  it.each([
    [{ ...NOTHING, blocks: 2, taken: 3, cooling: 1 }, "Waits for 3 addresses to be released."],
    [{ ...NOTHING, blocks: 1, taken: 1 }, "Waits for 1 address to be released."],
    [{ ...NOTHING, blocks: 1, cooling: 2 }, "Waits for 2 addresses to cool."],
    [
      { ...NOTHING, blocks: 1, cooling: 2, readyAtMs: NOW_MS + 30_000 },
      "Waits for 2 addresses to cool, until 2023-11-14T22:13:50.000Z.",
    ],
    [
      { ...NOTHING, blocks: 3, deleted: 2, readyAtMs: NOW_MS },
      "Waits for 1 empty block to reach the minimum age, until 2023-11-14T22:13:20.000Z.",
    ],
    [
      { ...NOTHING, passedBy: 1, failed: "it does not answer" },
      "Retries what failed: it does not answer.",
    ],
    [
      { ...NOTHING, passedBy: 2, failed: "it does not answer", unreadable: "a block is new" },
      "Waits for unreadable items: a block is new.",
    ],
    [
      NOTHING,
      "Waits until 2023-11-14T22:14:38.000Z: until then, a function may still use the pool.",
    ],
  ])("%o: %s", (counts, sentence) => {
    expect(waitingFor({ kind: "pool.delete", markedAtMs: NOW_MS }, counts)).toBe(sentence);
  });

  it("until when at least it cannot end is known from its mark to its end", () => {
    const marked = { kind: "pool.delete", markedAtMs: NOW_MS } as const;
    expect(endsNotBeforeMs(jobWith(marked))).toBe(NOW_MS + RANGE_RETIRED_MS_MIN);
    expect(endsNotBeforeMs(jobWith({ ...marked, kind: "pool.drain" }))).toBe(
      NOW_MS + EFFECTIVE_MS_MAX,
    );
    expect(endsNotBeforeMs(jobWith({ kind: "pool.delete" }))).toBeUndefined();
    expect(endsNotBeforeMs(jobWith({ ...marked, kind: "pool.release" }))).toBeUndefined();
    expect(endsNotBeforeMs(jobWith({ ...marked, state: "done" }))).toBeUndefined();
  });

  it("the last of what only time frees says until when", () => {
    const seen = { blocks: 1, deleted: 0, taken: 0, cooling: 0 };
    const walk = [NOW_MS + 5, undefined, NOW_MS + 9, NOW_MS + 7].reduce(
      (walk, readyAtMs, n) => walked(walk, BigInt(n), { ...seen, ...(readyAtMs && { readyAtMs }) }),
      walkFrom(NOW_MS),
    );
    expect(walk.readyAtMs).toBe(NOW_MS + 9);
    expect(walked(walkFrom(NOW_MS), 0n, seen)).not.toHaveProperty("readyAtMs");
  });
});

describe("a release comes back", () => {
  const passing = (count: number) =>
    Array.from({ length: count }, (_, n) => BigInt(2 * n)).reduce(
      (walk, group) => passedBy(walk, group, new Error("it does not answer")),
      walkFrom(NOW_MS),
    );

  it("to the block groups that it passed by, and to no other", () => {
    expect(comingBack(passing(2), NOW_MS + 1)).toEqual({ ...walkFrom(NOW_MS + 1), only: [0n, 2n] });
  });

  it("to none where it passed none by", () => {
    expect(comingBack(walkFrom(NOW_MS), NOW_MS + 1)).toBeUndefined();
  });

  it("to all block groups where it passed by more than it remembers", () => {
    expect(comingBack(passing(JOB_GROUPS_TO_COME_BACK_TO_MAX + 1), NOW_MS + 1)).toEqual(
      walkFrom(NOW_MS + 1),
    );
  });
});

it("of the block groups that a walk passed by the first reason of each kind is kept", () => {
  const block = new CorruptItemError({ item: "block 10.0.0.0" }, "says nothing");
  const walk = [new Error("first"), block, new Error("second")].reduce(
    (before, error, n) => passedBy(before, BigInt(n), error),
    walkFrom(NOW_MS),
  );
  expect(walk).toMatchObject({
    passedBy: 3,
    groups: 3,
    failed: "first",
    unreadable: block.message,
  });
});
