import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { waitMs } from "../../../console/src/api/pace.ts";

const REST_MS = 5_000;
const MINUTE_MS = 60_000;

describe("a live page", () => {
  it("loads for a tenth of the time at most, and rests between two loads", () => {
    expect(waitMs({ tookMs: 20, failures: 0 }, REST_MS, 0)).toBe(REST_MS);
    expect(waitMs({ tookMs: 900, failures: 0 }, REST_MS, 0)).toBe(9_000);
    expect(waitMs({ tookMs: 9_000, failures: 0 }, REST_MS, 0)).toBe(90_000);
  });

  it("waits twice as long after each failure in a row, up to a minute", () => {
    const waits = [1, 2, 3, 4, 100].map((failures) => waitMs({ tookMs: 20, failures }, REST_MS, 0));
    expect(waits).toEqual([10_000, 20_000, 40_000, MINUTE_MS, MINUTE_MS]);
  });

  it("loads once a minute after nobody has touched it for five minutes", () => {
    expect(waitMs({ tookMs: 20, failures: 0 }, REST_MS, 5 * MINUTE_MS - 1)).toBe(REST_MS);
    expect(waitMs({ tookMs: 20, failures: 0 }, REST_MS, 5 * MINUTE_MS)).toBe(MINUTE_MS);
  });

  it("never waits less than its rest, and never longer than a minute if its loads are short", () => {
    const loads = fc.record({ tookMs: fc.nat(6_000), failures: fc.nat(2_000) });
    fc.assert(
      fc.property(
        loads,
        fc.integer({ min: 1, max: MINUTE_MS }),
        fc.nat(10 * MINUTE_MS),
        (last, restMs, untouched) => {
          const wait = waitMs(last, restMs, untouched);
          expect(wait).toBeGreaterThanOrEqual(restMs);
          expect(wait).toBeLessThanOrEqual(MINUTE_MS);
        },
      ),
    );
  });
});
