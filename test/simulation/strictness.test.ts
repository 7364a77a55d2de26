import { describe, expect, it } from "vitest";
import { CLOCK_SKEW_MS_MAX } from "../../src/base/limits.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Allocation } from "../../src/kernel/values/allocation.ts";
import { allocationWith, blockWith, taken } from "../builders.ts";
import { Strictness } from "./strictness.ts";

const TOLD_MS = 10_000;
const STRICT_MS = TOLD_MS + CLOCK_SKEW_MS_MAX;

const told = { value: undefined, created: false, effectiveAtMs: TOLD_MS };
const switchedOn = (strictness: Strictness) => strictness.setting(true, async () => told);

/** Returns the judge's verdict on a slot that a borrower takes, when its allocation was seen in these states in turn. */
async function judged(...allocations: readonly Partial<Allocation>[]): Promise<string[]> {
  return judgedAfter(switchedOn, ...allocations);
}

async function judgedAfter(
  operators: (strictness: Strictness) => Promise<unknown>,
  ...allocations: readonly Partial<Allocation>[]
): Promise<string[]> {
  const strictness = new Strictness(false, []);
  await operators(strictness);
  const seen = allocations.map((allocation) =>
    allocationWith({ host: "host:borrower", ...allocation }),
  );
  const step = (allocation: Allocation, block = blockWith({})) =>
    strictness.step({ blocks: [block], allocations: [allocation] } as unknown as Contents);
  for (const allocation of seen) step(allocation);
  step(seen.at(-1) as Allocation, blockWith({ 0: taken() }));
  return strictness.violations.map(({ invariant }) => invariant);
}

describe("the judge of strict affinity", () => {
  it("lets those borrow who wrote their allocation before it was in force", async () => {
    expect(await judged({ atMs: STRICT_MS - 1 })).toEqual([]);
    expect(await judged({ atMs: STRICT_MS })).toEqual(["I10"]);
  });

  it("says nothing where it was switched off by somebody who began before, and ended in the middle of it", async () => {
    const rivals = async (strictness: Strictness) => {
      let end = (_: typeof told) => {};
      const first = new Promise<typeof told>((resolve) => {
        end = resolve;
      });
      const off = strictness.setting(false, () => first);
      await strictness.setting(true, async () => {
        end(told);
        await off;
        return told;
      });
    };
    expect(await judgedAfter(rivals, { atMs: STRICT_MS })).toEqual([]);
    const inTurn = async (strictness: Strictness) => {
      await strictness.setting(false, async () => told);
      await switchedOn(strictness);
    };
    expect(await judgedAfter(inTurn, { atMs: STRICT_MS })).toEqual(["I10"]);
  });

  it("goes by the time of who wrote the allocation, not of who ended it before the slot was taken", async () => {
    const written = { state: "pending", atMs: STRICT_MS - 1 } as const;
    const ended = { state: "aborted", atMs: STRICT_MS } as const;
    expect(await judged(written, ended)).toEqual([]);
    expect(await judged({ ...written, atMs: STRICT_MS }, ended)).toEqual(["I10"]);
    expect(await judged(ended)).toEqual([]);
  });
});
