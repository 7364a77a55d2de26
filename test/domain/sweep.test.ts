import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SWEEP_ITEMS_PER_RUN_MIN, SWEEP_MS } from "../../src/domain/limits.ts";
import { itemsToSweep, type Sweep } from "../../src/domain/sweep.ts";

const MINUTE_MS = 60_000;
const NOW_MS = 1_700_000_000_000;

describe("a run of the repair run", () => {
  it("goes through all that it has time for where nobody knows how much there is", () => {
    expect(itemsToSweep({}, NOW_MS)).toBe(Number.POSITIVE_INFINITY);
  });

  it("goes through all that it has time for where the walk takes longer than a day", () => {
    const sweep = { beganAtMs: NOW_MS - SWEEP_MS, items: 10 };
    expect(itemsToSweep({ sweep, itemsBefore: 20 }, NOW_MS)).toBe(Number.POSITIVE_INFINITY);
  });

  it("goes through a few items at least, also where its clock was moved back", () => {
    const sweep = { beganAtMs: NOW_MS + SWEEP_MS, items: 10 };
    expect(itemsToSweep({ itemsBefore: 1e6 }, NOW_MS)).toBe(SWEEP_ITEMS_PER_RUN_MIN);
    expect(itemsToSweep({ sweep, itemsBefore: 1e6 }, NOW_MS)).toBe(SWEEP_ITEMS_PER_RUN_MIN);
  });

  it("has gone through its segment in a day and a run, in even steps, whatever its size", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (itemsBefore) => {
        let sweep: Sweep = { beganAtMs: NOW_MS, items: 0 };
        let runs = 0;
        for (; sweep.items < itemsBefore; runs++) {
          const nowMs = NOW_MS + runs * MINUTE_MS;
          const items = itemsToSweep({ sweep, itemsBefore }, nowMs);
          if (nowMs < NOW_MS + SWEEP_MS)
            expect(items).toBeLessThanOrEqual(
              Math.max(SWEEP_ITEMS_PER_RUN_MIN, Math.ceil((itemsBefore * MINUTE_MS) / SWEEP_MS)),
            );
          sweep = { ...sweep, items: sweep.items + items };
        }
        expect((runs - 1) * MINUTE_MS).toBeLessThanOrEqual(SWEEP_MS);
      }),
      { numRuns: 50, seed: 20 },
    );
  });
});
