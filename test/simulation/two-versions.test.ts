import { describe, expect, it } from "vitest";
import { HANGS_MS } from "../patience.ts";
import { simulate } from "./run.ts";
import { oneIn } from "./sampled-calls.ts";

/*
 * Every second process is of a next version. The decision on fleets of two versions says why it is made from this one:
 * docs/decisions.
 */

const RUNS = 30 / oneIn(5);
const RAISED_RUNS_MIN = 6 / oneIn(3);
/** The runs in which a version at last meets what it cannot read. */
const RAISED_RUNS_MAX = 40;
const BLIND_RUNS = 60;

/** The kinds that this many runs write, and that the other version must then reject. */
const KINDS = [
  "APPLICATIONS",
  "BLOCK",
  "GROUPINDEX",
  "HANDLE",
  "HOST/AFFINITY",
  "HOST/NODE",
  "NAMESPACE",
  "NODE/CILIUM",
  "QUOTA",
  "SPACE/CONFIG",
  "SPACE/POOL",
  "SPACE/RESERVATION",
];

describe("two versions side by side", () => {
  it(
    `of which one adds an attribute to every item: ${RUNS} runs hold`,
    async () => {
      for (let seed = 1; seed <= RUNS; seed++) {
        const { violations } = await simulate({ seed, nextVersion: {} });
        expect(violations, `seed ${seed}`).toEqual([]);
      }
    },
    HANGS_MS,
  );

  it.each(KINDS)(
    "of which one raises the format of %s: neither loses, frees or doubles what the other assigned, and they reject it",
    async (raised) => {
      let rejected = 0;
      const isEnough = (runs: number) => runs >= (rejected > 0 ? RAISED_RUNS_MIN : RAISED_RUNS_MAX);
      for (let seed = 1; !isEnough(seed - 1); seed++) {
        const { violations, seen } = await simulate({ seed, nextVersion: { raised } });
        expect(violations, `seed ${seed}`).toEqual([]);
        rejected += seen.get("error: CorruptItemError") ?? 0;
      }
      expect(rejected).toBeGreaterThan(0);
    },
    HANGS_MS,
  );

  it.each(["BLOCK", "HANDLE", "HOST/AFFINITY", "SPACE/POOL"])(
    `break an invariant in at least one of ${BLIND_RUNS} runs if one of them takes for absent what it cannot read: %s`,
    async (raised) => {
      for (let seed = 1; seed <= BLIND_RUNS; seed++) {
        const { violations } = await simulate({ seed, nextVersion: { raised, isBlind: true } });
        if (violations.length > 0) return;
      }
      expect.fail(`${BLIND_RUNS} runs hold`);
    },
    HANGS_MS,
  );
});
