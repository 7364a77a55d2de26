import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Slot, slotOf, tagOf } from "../../../src/kernel/values/slot.ts";
import { CONFLICT_QUARANTINE_SECONDS_MAX } from "../../../src/nouns/settings/settings.ts";
import {
  anyHandleHash,
  anyToken,
  cooling,
  held,
  NOW_MS,
  quarantined,
  taken,
} from "../../builders.ts";

const anySlot: fc.Arbitrary<Slot> = fc.oneof(
  fc.record({ kind: fc.constant("taken"), token: anyToken, handleHash: anyHandleHash }),
  fc.record({
    kind: fc.constant("cooling"),
    token: anyToken,
    sinceMs: fc.nat(2 ** 48 - 1),
  }),
  fc.record({
    kind: fc.constant("quarantined"),
    token: anyToken,
    handleHash: anyHandleHash,
    sinceMs: fc.nat(2 ** 48 - 1),
    seconds: fc.nat(CONFLICT_QUARANTINE_SECONDS_MAX),
  }),
  fc.record({ kind: fc.constant("held"), token: anyToken, applicationHash: anyHandleHash }),
);

describe("the tag of a slot", () => {
  it("says again what it was made from, in at most 20 bytes, and 29 for a quarantine", () => {
    const longest = quarantined(2 ** 48 - 1, CONFLICT_QUARANTINE_SECONDS_MAX);
    fc.assert(
      fc.property(anySlot, (slot) => {
        expect(slotOf(tagOf(slot))).toEqual(slot);
        expect(tagOf(slot).length).toBeLessThanOrEqual(slot.kind === "quarantined" ? 29 : 20);
      }),
      { examples: [[cooling(0)], [cooling(NOW_MS)], [cooling(2 ** 48 - 1)], [longest]] },
    );
  });

  it("tells apart what differs in any part", () => {
    fc.assert(
      fc.property(anySlot, anySlot, (a, b) => {
        expect(Buffer.compare(tagOf(a), tagOf(b)) === 0).toBe(sameSlot(a, b));
      }),
      {
        examples: [
          [taken(1), taken(1)],
          [taken(1), taken(2)],
          [taken(1, "web-1"), taken(1, "web-2")],
          [cooling(1), cooling(2)],
          [cooling(1, 1), cooling(1, 2)],
          [cooling(1), quarantined(1, 0)],
          [quarantined(1, 1), quarantined(1, 2)],
          [held(1), held(2)],
          [held(1, "web"), held(1, "api")],
        ],
      },
    );
  });

  it("is kept to the byte, whoever wrote it", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 32 }), (tag) => {
        expect(Buffer.compare(tagOf(slotOf(tag)), tag)).toBe(0);
      }),
      { examples: [[new Uint8Array()], [tagOf(taken())], [tagOf(cooling(NOW_MS))]] },
    );
  });

  it.each([
    { description: "empty", tag: Uint8Array.of() },
    { description: "of a kind to come", tag: Uint8Array.of(9, ...tagOf(taken()).slice(1)) },
    { description: "cut off", tag: tagOf(taken()).slice(0, -1) },
    { description: "longer than it should be", tag: Uint8Array.of(...tagOf(cooling(1)), 0) },
    { description: "of one kind with the other's length", tag: tagOf(taken()).with(0, 2) },
  ])("that is $description is foreign, and never free", ({ tag }) => {
    expect(slotOf(tag)).toEqual({ kind: "foreign", tag });
  });

  it("is read rightly out of the middle of a larger buffer", () => {
    const tag = tagOf(taken());
    const larger = Uint8Array.of(7, 7, 7, ...tag, 7, 7);
    expect(slotOf(larger.subarray(3, 3 + tag.length))).toEqual(taken());
  });
});

const sameSlot = (a: Slot, b: Slot) => JSON.stringify(a) === JSON.stringify(b);
