import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INDEX_SETTLE_MS } from "../../../src/kernel/values/limits.ts";
import {
  afterWalk,
  CHARGING_WALK_MS,
  hasWalked,
  isChargingWalk,
  isIndexingWalk,
  itemsToSweep,
  type Left,
  leaving,
  type Progress,
  SWEEP_ITEMS_PER_RUN_MIN,
  SWEEP_MS,
  type Sweep,
  UNREAD_SPACES_MAX,
} from "../../../src/kernel/values/sweep.ts";

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
      { seed: 20 },
    );
  });
});

describe("a walk that could not read an allocation", () => {
  const asked: Progress = { itemsBefore: 100, indexAskedMs: NOW_MS };
  const walkAt = (beganAtMs: number): Sweep => ({
    ...{ beganAtMs, items: 100, isIndexing: true },
    ...{ uncharged: ["blue"], unindexed: ["blue"] },
  });
  const IN_TIME_MS = NOW_MS + INDEX_SETTLE_MS;
  const after = afterWalk(asked, walkAt(IN_TIME_MS));

  const isWalked = ({ indexedFromMs: fromMs, indexedBut: but }: Progress, space: string) =>
    hasWalked({ fromMs, but }, space, IN_TIME_MS);

  it("is a whole one for every space but that of the allocation", () => {
    expect([isWalked(after, "blue"), isWalked(after, "red")]).toEqual([false, true]);
    expect(isIndexingWalk(after, IN_TIME_MS + 1)).toBe(true);
  });

  it("counts for no space if it could not read something of more than it can name", () => {
    let left: Left = {};
    for (let n = 0; n <= 2 * UNREAD_SPACES_MAX; n++) left = leaving(left, "indexing", `space-${n}`);
    const walk: Sweep = { beganAtMs: IN_TIME_MS, items: 100, isIndexing: true, ...left };
    expect(isWalked(afterWalk(asked, walk), "red")).toBe(false);
  });

  it("counts for no space if something is left that the next walk can do", () => {
    const left = leaving({ unindexed: ["blue"] }, "indexing");
    const walk: Sweep = { beganAtMs: IN_TIME_MS, items: 100, isIndexing: true, ...left };
    expect(isWalked(afterWalk(asked, walk), "red")).toBe(false);
  });

  it("is the last one at full pace that an operator's index has", () => {
    expect(itemsToSweep(asked, IN_TIME_MS)).toBe(Number.POSITIVE_INFINITY);
    expect(itemsToSweep(after, IN_TIME_MS)).toBe(SWEEP_ITEMS_PER_RUN_MIN);
  });

  it("does not slow down the walk after it if it began too early to complete the index", () => {
    const early = afterWalk(asked, walkAt(IN_TIME_MS - 1));
    expect(itemsToSweep(early, IN_TIME_MS)).toBe(Number.POSITIVE_INFINITY);
  });

  it("does not slow down an index that an operator adds later", () => {
    const later = { ...after, indexAskedMs: IN_TIME_MS + 1 };
    expect(itemsToSweep(later, IN_TIME_MS + 1)).toBe(Number.POSITIVE_INFINITY);
  });

  it("is followed by one that charges what is charged to no quota after half a day, and by none before", () => {
    const isCharging = (progress: Progress, beganAtMs: number) =>
      isChargingWalk(progress, { beganAtMs, items: 0 });
    const laterMs = IN_TIME_MS + CHARGING_WALK_MS;
    expect([isCharging(after, laterMs - 1), isCharging(after, laterMs)]).toEqual([false, true]);
    // A walk over a small table ends each minute.
    const soon = afterWalk(after, walkAt(laterMs - 1));
    expect(isCharging(soon, laterMs)).toBe(true);
  });

  it("is made up for by the next whole one", () => {
    const whole = {
      beganAtMs: IN_TIME_MS + CHARGING_WALK_MS,
      items: 100,
      isIndexing: true,
    } as const;
    const { chargedFromMs, indexedFromMs } = afterWalk(after, whole);
    expect([chargedFromMs, indexedFromMs]).toEqual([whole.beganAtMs, whole.beganAtMs]);
  });
});
