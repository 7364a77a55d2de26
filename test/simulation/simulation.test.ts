import { describe, expect, it } from "vitest";
import { simulate } from "./run.ts";
import { oneIn } from "./sampled-calls.ts";
import { FAIR } from "./scheduler.ts";

/** The sample of `npm test` has the seeds before. */
const FIRST_SEED = 51;
const LAST_SEED = FIRST_SEED + 2_000 / oneIn(100) - 1;
const FAIR_RUNS = 24 / oneIn(3);

describe("the invariants hold in every simulated run", () => {
  it(`with faults at every call: seeds ${FIRST_SEED} to ${LAST_SEED}`, async () => {
    for (let seed = FIRST_SEED; seed <= LAST_SEED; seed++) {
      const { violations } = await simulate({ seed });
      expect(violations, `seed ${seed}`).toEqual([]);
    }
  });

  it("with nothing but interleaving", async () => {
    for (let seed = 1; seed <= FAIR_RUNS; seed++) {
      const { violations } = await simulate({ seed, weather: FAIR });
      expect(violations, `seed ${seed}`).toEqual([]);
    }
  });

  it("and the same seed is the same run", async () => {
    const [first, second] = [await simulate({ seed: 7 }), await simulate({ seed: 7 })];
    expect([...second.seen]).toEqual([...first.seen]);
  });
});
