import { describe, expect, it } from "vitest";
import { simulate } from "./run.ts";
import { FAIR } from "./scheduler.ts";

const RUNS = 2_000;
/**
 * The time limit, in which a busy machine completes fewer runs. The completed ones must hold, and
 * the test prints their number.
 */
const RUNS_MS_MAX = 60_000;
const RUNS_MIN = 200;
const FAIR_RUNS = 25;
const TEST_MS_MAX = 600_000;

describe("the invariants hold in every simulated run", { timeout: TEST_MS_MAX }, () => {
  it(`with faults at every call: seeds 1 to ${RUNS}, or a minute of them`, async () => {
    const untilMs = performance.now() + RUNS_MS_MAX;
    let seed = 1;
    for (; seed <= RUNS && (performance.now() < untilMs || seed <= RUNS_MIN); seed++) {
      const { violations } = await simulate({ seed });
      expect(violations, `seed ${seed}`).toEqual([]);
    }
    console.log(`${seed - 1} simulated runs hold`);
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
