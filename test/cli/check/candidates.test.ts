import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  agedOf,
  BRAKE_CANDIDATES_MIN,
  brakeFor,
  candidatesIn,
  type LeakCandidate,
  ownersText,
} from "../../../src/cli/check/candidates.ts";
import type { Judged, Judgement } from "../../../src/cli/check/leak.ts";
import { NOW_MS } from "../../builders.ts";
import { assignedWith } from "./builders.ts";

const gone: Judgement = { verdict: "gone", reason: "pod_not_found" };
const used: Judgement = { verdict: "used", reason: "in_use" };
const unjudged: Judgement = { verdict: "unjudged", reason: "not_covered" };

const judgedWith = (
  judgement: Judgement,
  changes: Parameters<typeof assignedWith>[0] = {},
): Judged => ({
  ...assignedWith(changes),
  judgement,
});
const many = (count: number, judgement: Judgement) =>
  Array.from({ length: count }, () => judgedWith(judgement));

describe("a candidate", () => {
  const [first] = candidatesIn([judgedWith(gone)], [], NOW_MS) as [LeakCandidate];
  const seenAgain = (changes: Parameters<typeof assignedWith>[0]) =>
    candidatesIn([judgedWith(gone, changes)], [first], NOW_MS + 1)[0]?.firstSeenAtMs;

  it("is whoever is gone, and nobody else", () => {
    expect(candidatesIn([judgedWith(used), judgedWith(unjudged)], [], NOW_MS)).toEqual([]);
    expect(first).toMatchObject({ address: "10.0.0.1", reason: "pod_not_found" });
  });

  it("keeps the time at which it was first seen", () => {
    expect(first.firstSeenAtMs).toBe(NOW_MS);
    expect(seenAgain({})).toBe(NOW_MS);
  });

  it("is seen anew when the address was assigned anew, or has got another owner", () => {
    expect(seenAgain({ generation: "g2" })).toBe(NOW_MS + 1);
    expect(seenAgain({ address: "10.0.0.2" })).toBe(NOW_MS + 1);
    expect(seenAgain({ owner: { active: { namespace: "shop", pod: "web-1" } } })).toBe(NOW_MS + 1);
  });

  it("has the same owners in whatever order their attributes come", () => {
    expect(ownersText({ active: { a: "1", b: "2" } })).toBe(
      ownersText({ active: { b: "2", a: "1" } }),
    );
    expect(ownersText({ active: { a: "1" } })).not.toBe(ownersText({ alternate: { a: "1" } }));
  });
});

describe("the brake", () => {
  const brake = (goneCount: number, usedCount: number, percent = 30) =>
    brakeFor([...many(goneCount, gone), ...many(usedCount, used), ...many(500, unjudged)], {
      brakePercent: percent,
    });

  it("is on when more than its share of those that could be judged are candidates", () => {
    expect(brake(30, 70)).toEqual({ applied: false, percent: 30, judged: 100, candidates: 30 });
    expect(brake(31, 69).applied).toBe(true);
    expect(brake(31, 69, 50).applied).toBe(false);
    expect(brake(10, 1_000, 0).applied).toBe(true);
  });

  it("is never on for a few, or where all may go", () => {
    expect(brake(BRAKE_CANDIDATES_MIN - 1, 0).applied).toBe(false);
    expect(brake(BRAKE_CANDIDATES_MIN, 0).applied).toBe(true);
    expect(brake(1_000, 0, 100).applied).toBe(false);
  });
});

describe("the grace period", () => {
  const off = { applied: false, percent: 30, judged: 1, candidates: 1 };
  const candidates = candidatesIn([judgedWith(gone)], [], NOW_MS);
  const aged = (takenAtMs: number, graceSeconds = 900, brake = off) =>
    agedOf(candidates, { takenAtMs, graceSeconds, brake }).length;

  it("is over for an inventory that was taken so long after the first look", () => {
    expect(aged(NOW_MS + 899_999)).toBe(0);
    expect(aged(NOW_MS + 900_000)).toBe(1);
  });

  it("never is for the same inventory, however often it is looked at", () => {
    expect(aged(NOW_MS, 1)).toBe(0);
  });

  it("of 0 confirms nothing, and neither does anything while the brake is on", () => {
    expect(aged(NOW_MS + 10_000_000, 0)).toBe(0);
    expect(aged(NOW_MS + 900_000, 900, { ...off, applied: true })).toBe(0);
  });

  it("never is over under a limit of the handle, nor for what goes together with such a one", () => {
    const [one] = candidates as [LeakCandidate];
    const ripe = (...some: readonly Partial<LeakCandidate>[]) =>
      agedOf(
        some.map((changes) => ({ ...one, ...changes })),
        { takenAtMs: NOW_MS + 900_000, graceSeconds: 900, brake: off },
      ).length;
    expect(ripe({}, { limited: true })).toBe(1);
    expect(ripe({ together: true }, { together: true, limited: true })).toBe(0);
  });

  it("is over for all that a handle has together, or for none", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            handle: fc.constantFrom("a", "b"),
            together: fc.boolean(),
            firstSeenAtMs: fc.constantFrom(NOW_MS, NOW_MS + 500),
          }),
        ),
        (drawn) => {
          const asking = new Set(drawn.filter((one) => one.together).map(({ handle }) => handle));
          const all = drawn.map((one) => ({
            ...(candidates[0] as LeakCandidate),
            ...one,
            together: asking.has(one.handle),
          }));
          const ripe = agedOf(all, { takenAtMs: NOW_MS + 1_000, graceSeconds: 1, brake: off });
          for (const handle of asking) {
            const ofHandle = (some: readonly LeakCandidate[]) =>
              some.filter((one) => one.handle === handle).length;
            expect([0, ofHandle(all)]).toContain(ofHandle(ripe));
          }
          const alone = all.filter(({ together }) => !together);
          expect(ripe.filter(({ together }) => !together)).toEqual(
            alone.filter(({ firstSeenAtMs }) => firstSeenAtMs === NOW_MS),
          );
        },
      ),
    );
  });
});
