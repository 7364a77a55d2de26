import { describe, expect, it } from "vitest";
import { ContentionError, type Outcome, UnavailableError } from "../../../src/base/outcome.ts";
import {
  answer,
  compareAndSwap,
  RETRY,
  untilAnswered,
  untilKnown,
} from "../../../src/kernel/core/compare-and-swap.ts";
import { SWAP_TRIES_MAX } from "../../../src/kernel/values/limits.ts";

describe("a compare-and-swap", () => {
  it("is tried until a try answers, and each try knows the number of tries before it", async () => {
    const tries: number[] = [];
    const result = compareAndSwap("the address plan", async (before) => {
      tries.push(before);
      return before === 2 ? answer("changed") : RETRY;
    });
    expect(await result).toBe("changed");
    expect(tries).toEqual([0, 1, 2]);
  });

  it("is contended after the most tries, and the error names what kept changing", async () => {
    let tries = 0;
    const result = compareAndSwap("the address plan", async () => {
      tries++;
      return RETRY;
    });
    await expect(result).rejects.toThrow(
      new ContentionError(`the address plan kept changing, in ${SWAP_TRIES_MAX} tries`),
    );
    expect(tries).toBe(SWAP_TRIES_MAX);
  });

  it("ends with the first error that a try throws", async () => {
    const result = compareAndSwap("the address plan", async () => {
      throw new UnavailableError("no answer");
    });
    await expect(result).rejects.toThrow(new UnavailableError("no answer"));
  });
});

describe("a step that never answers", () => {
  const retry = async () => RETRY;

  it("comes to the answer for that case", async () => {
    const tries = { triesMax: 3, exhausted: () => false };
    expect(await untilAnswered<boolean>(tries, retry)).toBe(false);
  });

  it("throws the error for that case", async () => {
    const tries = { triesMax: 3, exhausted: () => new ContentionError("other hosts were faster") };
    await expect(untilAnswered(tries, retry)).rejects.toThrow("other hosts were faster");
  });
});

describe("a write that may be made twice", () => {
  const writing = (...outcomes: readonly Outcome<string>[]) => {
    const left = [...outcomes];
    return async () => left.shift() ?? ({ outcome: "unknown" } as const);
  };

  it.each([
    { outcome: "done", item: "epoch" },
    { outcome: "lost", item: "other" },
  ] as const)("is made until its outcome is known: $outcome", async (known) => {
    expect(await untilKnown("a block was fenced", writing({ outcome: "unknown" }, known))).toBe(
      known,
    );
  });

  it("is unavailable while the database does not say, and the error names the write", async () => {
    await expect(untilKnown("a block was fenced", writing())).rejects.toThrow(
      new UnavailableError("the database did not say whether a block was fenced"),
    );
  });
});
