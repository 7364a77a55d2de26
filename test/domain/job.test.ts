import { describe, expect, it } from "vitest";
import { provesEmpty, provesFromMs, waitingFor, walkFrom } from "../../src/domain/job.ts";
import {
  CONFIGURATION_FRESH_MS,
  CONFIGURATION_JITTER_MS,
  CONFIGURATION_RELOAD_MS,
  REQUEST_MS_MAX,
} from "../../src/domain/limits.ts";
import { jobWith, NOW_MS } from "./builders.ts";

const NOTHING = { cells: 3, blocks: 0, deleted: 0, taken: 0, cooling: 0 };

describe("a walk proves that a pool is empty for good", () => {
  it.each(["pool.drain", "pool.delete"] as const)(
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

  it("of a delete only when no copy of the configuration can be older, and no request of it can be under way", () => {
    const copyMsMax = CONFIGURATION_RELOAD_MS + CONFIGURATION_FRESH_MS + CONFIGURATION_JITTER_MS;
    expect(provesFromMs({ kind: "pool.delete" }, 0)).toBeGreaterThan(copyMsMax + REQUEST_MS_MAX);
  });
});

describe("what a job waits for is said in a sentence", () => {
  it.each([
    [{ ...NOTHING, blocks: 2, taken: 3, cooling: 1 }, "Waits for 3 addresses to be released."],
    [{ ...NOTHING, blocks: 1, taken: 1 }, "Waits for 1 address to be released."],
    [{ ...NOTHING, blocks: 1, cooling: 2 }, "Waits for 2 addresses to cool."],
    [{ ...NOTHING, blocks: 3, deleted: 2 }, "Waits for 1 empty block to be old enough."],
    [NOTHING, "Waits until no request can know the pool as one that serves, and looks again then."],
  ])("%o: %s", (counts, sentence) => {
    expect(waitingFor(counts)).toBe(sentence);
  });
});
