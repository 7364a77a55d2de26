import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allocationStartIn,
  freshAllocationId,
  freshId,
  freshToken,
  ID_CHARACTERS,
  leadsTo,
} from "../../../src/kernel/values/fresh.ts";
import { slotOf, tagOf } from "../../../src/kernel/values/slot.ts";
import { anyHandleHash, NOW_MS } from "../../builders.ts";
import { seededRandom } from "../../simulation/random.ts";

/** Ids as they are made for unkeyed allocations, and as an Idempotency-Key is digested. */
const anyPlace = fc.record({
  id: fc.oneof(
    fc
      .tuple(fc.nat(2 ** 48 - 1), fc.integer())
      .map(([ms, seed]) => freshAllocationId(ms, seededRandom(seed))),
    fc.stringMatching(/^[\w-]{22}$/),
    anyHandleHash,
  ),
  keyed: fc.boolean(),
});
const anySeed = fc.integer();

describe("a token", () => {
  it("says of what kind its allocation is and how its id begins, also after it stood in a slot", () => {
    fc.assert(
      fc.property(anyPlace, anySeed, anyHandleHash, (place, seed, handleHash) => {
        const token = freshToken(place, seededRandom(seed));
        const slot = { kind: "taken", token, handleHash } as const;
        expect(slotOf(tagOf(slot))).toEqual(slot);
        expect(allocationStartIn(token)).toEqual({
          keyed: place.keyed,
          idStart: place.id.slice(0, 6),
        });
        expect(leadsTo(token, place)).toBe(true);
      }),
    );
  });

  it("is as long as any fresh id, and needs no escaping anywhere", () => {
    fc.assert(
      fc.property(anyPlace, anySeed, (place, seed) => {
        const token = freshToken(place, seededRandom(seed));
        expect(token).toMatch(/^[KI][\w-]{14}$/);
        expect(token).toHaveLength(ID_CHARACTERS);
      }),
    );
  });

  it("does not lead to an allocation whose id begins otherwise, or that is of the other kind", () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, anySeed, (place, other, seed) => {
        fc.pre(place.id.slice(0, 6) !== other.id.slice(0, 6));
        const token = freshToken(place, seededRandom(seed));
        expect(leadsTo(token, other)).toBe(false);
        expect(leadsTo(token, { ...place, keyed: !place.keyed })).toBe(false);
      }),
    );
  });

  it("differs from the others of its allocation", () => {
    const random = seededRandom(1);
    const place = { id: freshAllocationId(NOW_MS, random), keyed: false };
    const tokens = Array.from({ length: 1_000 }, () => freshToken(place, random));
    expect(new Set(tokens).size).toBe(1_000);
  });

  it("uses all random bits that 11 bytes leave it", () => {
    const place = { id: "AAAAAA", keyed: false };
    const tokens = Array.from({ length: 2_000 }, (_, seed) =>
      freshToken(place, seededRandom(seed)),
    );
    const bits = (of: (a: bigint, b: bigint) => bigint) =>
      tokens
        .map((token) => BigInt(`0x${Buffer.from(token, "base64url").toString("hex")}`))
        .reduce(of);
    const moved = bits((a, b) => a | b) ^ bits((a, b) => a & b);
    expect(moved).toBe((1n << 46n) - 1n);
  });

  it("of an older making says nothing, and leads to every allocation of its handle", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 42 - 1), anySeed, anyPlace, (nowMs, seed, place) => {
        const token = freshId(nowMs, seededRandom(seed));
        expect(allocationStartIn(token)).toBeUndefined();
        expect(leadsTo(token, place)).toBe(true);
      }),
      { examples: [[NOW_MS, 0, { id: "record-1", keyed: false }]] },
    );
  });
});

describe("the id of an allocation without a key", () => {
  it("begins at random: of ids of one millisecond hardly two begin alike", () => {
    const random = seededRandom(1);
    const starts = Array.from({ length: 10_000 }, () =>
      freshAllocationId(NOW_MS, random).slice(0, 6),
    );
    expect(new Set(starts).size).toBeGreaterThan(9_990);
  });

  it("differs from every other made at another millisecond, even with the same luck", () => {
    const unlucky = { fraction: () => 0, bytes: (count: number) => new Uint8Array(count) };
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(2 ** 48 - 1)), (times) => {
        expect(new Set(times.map((ms) => freshAllocationId(ms, unlucky))).size).toBe(times.length);
      }),
    );
  });
});
