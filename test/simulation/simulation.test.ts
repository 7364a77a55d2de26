import { describe, expect, it } from "vitest";
import { simulate } from "./run.ts";
import { FAIR } from "./scheduler.ts";

const RUNS_PER_TEST = 50;
const RUNS_UNTIL_NOTICED_MAX = 1_500;
/** A busy machine may take its time; a run is bounded by its steps. */
const TEST_MS_MAX = 600_000;

describe("the invariants hold in every simulated run", { timeout: TEST_MS_MAX }, () => {
  const batches = Array.from({ length: 10 }, (_, batch) => 1 + batch * RUNS_PER_TEST);
  it.each(batches)("with faults at every call, seeds from %i", async (firstSeed) => {
    for (let seed = firstSeed; seed < firstSeed + RUNS_PER_TEST; seed++) {
      const { violations } = await simulate({ seed });
      expect(violations, `seed ${seed}`).toEqual([]);
    }
  });

  it("with nothing but interleaving", async () => {
    for (let seed = 1; seed <= RUNS_PER_TEST; seed++) {
      const { violations } = await simulate({ seed, weather: FAIR });
      expect(violations, `seed ${seed}`).toEqual([]);
    }
  });

  it("and the same seed is the same run", async () => {
    const [first, second] = [await simulate({ seed: 7 }), await simulate({ seed: 7 })];
    expect([...second.seen]).toEqual([...first.seen]);
  });
});

describe("the simulation notices when the protocol lacks", { timeout: TEST_MS_MAX }, () => {
  it.each([
    ["take-epoch", "the epoch clause of a slot write (rule 1)"],
    ["collect-fence", "the collector's fence (rule 1)"],
    ["record-rev", "the revision of a record that is written again (rule 2)"],
    ["unknown-fence", "the fence after an unknown outcome (rule 3)"],
    ["collect-rev", "the revision that the collector saw (rule 5)"],
    ["head-live-rev", "the revision of a head that becomes live (rule 7)"],
    ["abort-rev", "the revision of a head that is aborted (rule 7)"],
    ["take-over-rev", "the revision of a block that is taken over"],
    ["loan-fence", "the fence before a loan row goes"],
    ["take-slot", "the clause that a slot is as it was seen"],
    ["block-absent", "the arbiter of claims"],
    ["delete-rev", "the revision of the block that the reclaimer saw"],
  ])("%s: %s", async (clause) => {
    const broken = await firstBroken(clause);
    expect(broken).toBeDefined();
  });
});

async function firstBroken(without: string): Promise<number | undefined> {
  for (let seed = 1; seed <= RUNS_UNTIL_NOTICED_MAX; seed++) {
    const { violations } = await simulate({ seed, without });
    if (violations.length > 0) return seed;
  }
  return undefined;
}
