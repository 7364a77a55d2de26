import { describe, expect, it } from "vitest";
import { CLOCK_SKEW_MS_MAX } from "../../src/base/limits.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Written } from "../../src/kernel/core/written.ts";
import type { Pool } from "../../src/nouns/pool/pool.ts";
import {
  allocationWith,
  blockWith,
  intervals,
  jobWith,
  network,
  poolWith,
  taken,
  token,
} from "../builders.ts";
import { ServedSets } from "./served-sets.ts";

const CIDR = network("10.0.0.0/30");
const TOLD_MS = 10_000;
const IN_FORCE_MS = TOLD_MS + CLOCK_SKEW_MS_MAX;

/** The pool `red` with some addresses. */
const red = (revision: string, changes: Partial<Pool> = {}): Pool =>
  poolWith({
    name: "red",
    cidr: CIDR,
    subnetId: "subnet",
    revision,
    ranges: intervals("10.0.0.0-10.0.0.3"),
    ...changes,
  });
const WIDE = red("1");
const NARROW = red("2", { ranges: intervals("10.0.0.0-10.0.0.1") });

const told = (value: Pool): Written<Pool> => ({ value, created: false, effectiveAtMs: TOLD_MS });

/** Returns the judge of a space whose pool was changed, and whose operator was answered. */
async function judgeOf(change: (judge: ServedSets) => Promise<unknown>): Promise<ServedSets> {
  const judge = new ServedSets({ has: () => false });
  see(judge, [WIDE]);
  await change(judge);
  return judge;
}

function see(judge: ServedSets, pools: readonly Pool[], rest: Partial<Contents> = {}): void {
  judge.step({ pools, blocks: [], allocations: [], ...rest } as unknown as Contents);
}

const narrowed = (judge: ServedSets) =>
  judge.announcing("red", async () => {
    see(judge, [NARROW]);
    return told(NARROW);
  });

/** Returns the verdict on an address that is taken for the pool, under an allocation of that time. */
function takenIn(judge: ServedSets, ordinal: number, atMs: number, now = NARROW): string[] {
  const part = { token: token(1), block: CIDR, count: 1, ordinals: [ordinal], pool: "red" };
  see(judge, [now], {
    blocks: [blockWith({ [ordinal]: taken() }, { cidr: CIDR })],
    allocations: [allocationWith({ atMs, parts: [part] })],
  });
  return judge.violations.map(({ invariant }) => invariant);
}

describe("the judge of the sets of ranged pools", () => {
  it("lets those have an address that left the pool who wrote their allocation before that was in force", async () => {
    expect(takenIn(await judgeOf(narrowed), 3, IN_FORCE_MS - 1)).toEqual([]);
    expect(takenIn(await judgeOf(narrowed), 3, IN_FORCE_MS)).toEqual(["I13"]);
    expect(takenIn(await judgeOf(narrowed), 1, IN_FORCE_MS)).toEqual([]);
  });

  it("lets nobody have an address of a pool that its operator drained", async () => {
    const idle = red("2", { disabled: true });
    const drained = (judge: ServedSets) =>
      judge.announcing("red", async () => {
        see(judge, [idle]);
        return { job: jobWith(), effectiveAtMs: TOLD_MS };
      });
    expect(takenIn(await judgeOf(drained), 1, IN_FORCE_MS - 1, idle)).toEqual([]);
    expect(takenIn(await judgeOf(drained), 1, IN_FORCE_MS, idle)).toEqual(["I13"]);
  });

  it("finds an operator that was told of a drain, although the pool served throughout", async () => {
    const served = await judgeOf((judge) =>
      judge.announcing("red", async () => ({ job: jobWith(), effectiveAtMs: TOLD_MS })),
    );
    expect(served.violations).toMatchObject([{ invariant: "I13" }]);
  });
});
