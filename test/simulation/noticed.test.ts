import { describe, expect, it } from "vitest";
import { simulate } from "./run.ts";
import { shrink } from "./shrink.ts";

const RUNS_UNTIL_NOTICED_MAX = 3_000;
/** A busy machine may take its time; a run is bounded by its steps. */
const TEST_MS_MAX = 600_000;

/** What is left out, and a seed that noticed it: where the sources have changed since, another one does. */
describe("the simulation notices when the protocol lacks", { timeout: TEST_MS_MAX }, () => {
  it.each([
    ["take-epoch", 4, "the epoch clause of a slot write (rule 1)"],
    ["collect-fence", 347, "the collector's fence (rule 1)"],
    ["record-rev", 59, "the revision of a record that is written again (rule 2)"],
    ["unknown-fence", 4, "the fence after an unknown outcome (rule 3)"],
    ["collect-rev", 1045, "the revision that the collector saw (rule 5)"],
    ["expire-rev", 269, "the revision of a record whose lease has run out (rule 5)"],
    ["head-live-rev", 131, "the revision of a head that becomes live (rule 7)"],
    ["abort-rev", 131, "the revision of a head that is aborted (rule 7)"],
    ["take-over-rev", 165, "the revision of a block that is taken over"],
    ["loan-fence", 154, "the fence before a loan row goes"],
    ["take-slot", 6, "the clause that a slot is as it was seen"],
    ["block-absent", 3, "the arbiter of claims"],
    ["delete-rev", 82, "the revision of the block that the reclaimer saw"],
    ["amend-rev", 682, "the revision of a record whose lease or owners change"],
    ["seat-absent", 5, "the arbiter of a limited handle's seats"],
    ["seat-over-rev", 247, "the revision of a seat that is taken over"],
  ])("%s (seed %i): %s", async (without, seed) => {
    const broken = (await isBroken(seed, without)) ? seed : await firstBroken(without);
    expect(broken).toBeDefined();
  });

  it("and says which processes it takes", async () => {
    const without = "take-slot";
    const seed = (await firstBroken(without)) as number;
    const { processes } = await simulate({ seed, without });
    const least = await shrink(seed, without);
    expect(least.processes.length).toBeLessThan(processes.length);
    const only = new Set(least.processes);
    const again = await simulate({ seed, without, schedule: least.schedule, only });
    expect(again.violations).not.toEqual([]);
  });
});

async function isBroken(seed: number, without: string): Promise<boolean> {
  return (await simulate({ seed, without })).violations.length > 0;
}

async function firstBroken(without: string): Promise<number | undefined> {
  for (let seed = 1; seed <= RUNS_UNTIL_NOTICED_MAX; seed++)
    if (await isBroken(seed, without)) return seed;
  return undefined;
}
