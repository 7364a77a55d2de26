import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CLOCK_SKEW_MS_MAX } from "../../../src/base/limits.ts";
import {
  assertBlock,
  type Block,
  capacityOf,
  chooseOrdinals,
  cooledAtMs,
  emptyAndOldAtMs,
  isCooled,
  isEmpty,
  isWhollyReserved,
  roomIn,
  roomlessUntilMs,
  type SlotRules,
  takenUnder,
} from "../../../src/kernel/values/block.ts";
import { newSharedBlock } from "../../../src/kernel/values/block-changes.ts";
import type { ReleasedSlot } from "../../../src/kernel/values/slot.ts";
import { merged } from "../../../src/net/cidr.ts";
import { reservedFor } from "../../../src/nouns/pool/set.ts";
import {
  BLOCKS_OF_EACH_SIZE,
  blockWith,
  cooling,
  foreign,
  interval,
  intervals,
  NOW_MS,
  network,
  poolWith,
  quarantined,
  taken,
  token,
} from "../../builders.ts";
import { seededRandom } from "../../simulation/random.ts";

const COOLDOWN_MS = 30_000;
const RULES: SlotRules = { nowMs: NOW_MS, cooldownMs: COOLDOWN_MS, reserved: [] };
/** A slot released just so long ago is cooled by now, on every clock. */
const COOLED_MS = NOW_MS - COOLDOWN_MS - CLOCK_SKEW_MS_MAX;

/** More than any block here has, so that all there is comes back. */
const ALL = 10_000;
const choose = (block: Block, count: number, rules: Partial<SlotRules> = {}, seed = 1) =>
  chooseOrdinals(block, count, { ...RULES, ...rules }, seededRandom(seed));
const byNumber = (ordinals: readonly number[]) => ordinals.toSorted((a, b) => a - b);

describe("the addresses an assign takes from a block", () => {
  it.each(BLOCKS_OF_EACH_SIZE)("are all of them in turn for $size", ({ cidr, capacity }) => {
    const chosen = choose(blockWith({}, { cidr }), ALL);
    expect(byNumber(chosen)).toEqual(Array.from({ length: capacity }, (_, i) => i));
  });

  it("are never taken by another request, nor more than asked for", () => {
    const block = blockWith({ 0: taken(1), 3: taken(2), 6: taken(3) });
    for (let count = 0; count <= 5; count++) expect(choose(block, count)).toHaveLength(count);
    expect(byNumber(choose(block, 6))).toEqual([1, 2, 4, 5, 7]);
  });

  it("were never used before, as long as there are such", () => {
    const block = blockWith({ 0: cooling(1), 1: cooling(2), 2: cooling(3) });
    for (let seed = 0; seed < 20; seed++)
      expect(byNumber(choose(block, 5, {}, seed))).toEqual([3, 4, 5, 6, 7]);
  });

  it("are of the half released longest ago when all were used, and more only where more are asked for", () => {
    const slots = [50, 20, 70, 10, 40, 60, 30, 80].map((age) => cooling(COOLED_MS - age));
    for (let seed = 0; seed < 20; seed++) {
      expect(byNumber(choose(blockWith({ ...slots }), 4, {}, seed))).toEqual([0, 2, 5, 7]);
      expect(byNumber(choose(blockWith({ ...slots }), 5, {}, seed))).toEqual([0, 2, 4, 5, 7]);
      expect(choose(blockWith({ ...slots }), ALL, {}, seed)).toHaveLength(8);
    }
  });

  it("are not the same for callers that come at once, though one was released longest ago", () => {
    const slots = Array.from({ length: 64 }, (_, age) => cooling(COOLED_MS - age));
    const block = blockWith({ ...slots }, { cidr: network("10.0.0.0/26") });
    const firsts = Array.from({ length: 500 }, (_, seed) => choose(block, 1, {}, seed)[0]);
    expect(new Set(firsts).size).toBe(32);
  });

  it("are any that cooled, for who was not the first at one of that half", () => {
    const slots = Array.from({ length: 64 }, (_, age) => cooling(COOLED_MS - age));
    const block = blockWith({ ...slots }, { cidr: network("10.0.0.0/26") });
    const seconds = Array.from({ length: 1_000 }, (_, seed) =>
      chooseOrdinals(block, 1, RULES, seededRandom(seed), { isRetry: true }).at(0),
    );
    expect(new Set(seconds).size).toBe(64);
  });

  it.each([
    { sinceMs: COOLED_MS, given: true, when: "its cooldown and the clock skew are over" },
    { sinceMs: COOLED_MS + 1, given: false, when: "a millisecond of the clock skew is left" },
    { sinceMs: NOW_MS - COOLDOWN_MS, given: false, when: "only its cooldown is over" },
    { sinceMs: NOW_MS, given: false, when: "it was released just now" },
  ])("include a released address: $given, when $when", ({ sinceMs, given }) => {
    const block = blockWith({ 0: cooling(sinceMs) }, { cidr: network("10.0.0.1/32") });
    expect(choose(block, 1)).toEqual(given ? [0] : []);
  });

  it("need no waiting in a pool without cooldown", () => {
    const block = blockWith({ 0: cooling(NOW_MS) }, { cidr: network("2001:db8::1/128") });
    expect(choose(block, 1, { cooldownMs: 0 })).toEqual([0]);
    const ahead = cooling(NOW_MS + 1) as ReleasedSlot;
    expect(isCooled(ahead, { nowMs: NOW_MS, cooldownMs: 0 })).toBe(true);
    expect(cooledAtMs(ahead, 1)).toBe(NOW_MS + 2 + CLOCK_SKEW_MS_MAX);
  });

  it.each([
    { sinceMs: NOW_MS - 90_000 - CLOCK_SKEW_MS_MAX, seconds: 90, given: true },
    { sinceMs: NOW_MS - 90_000 - CLOCK_SKEW_MS_MAX + 1, seconds: 90, given: false },
    { sinceMs: COOLED_MS, seconds: 0, given: true },
    { sinceMs: COOLED_MS + 1, seconds: 0, given: false },
  ])(
    "include one in quarantine only after its time and the cooldown: %o",
    ({ sinceMs, seconds, given }) => {
      const block = blockWith(
        { 0: quarantined(sinceMs, seconds) },
        { cidr: network("10.0.0.1/32") },
      );
      expect(choose(block, 1)).toEqual(given ? [0] : []);
      expect(isEmpty(block, RULES)).toBe(given);
      expect(roomlessUntilMs(block, RULES)).toBe(given ? undefined : NOW_MS + 1);
      expect(emptyAndOldAtMs(block, COOLDOWN_MS, 0)).toBe(given ? NOW_MS : NOW_MS + 1);
    },
  );

  it("need no waiting for a quarantine of no time, in a pool without cooldown", () => {
    const block = blockWith(
      { 0: quarantined(NOW_MS, 0) },
      { cidr: network("10.0.0.1/32"), claimedAtMs: NOW_MS },
    );
    expect(choose(block, 1, { cooldownMs: 0 })).toEqual([0]);
    expect(emptyAndOldAtMs(block, 0, 0)).toBe(NOW_MS);
  });

  it.each([
    { cidr: "10.0.0.8/29", reserved: ["10.0.0.8", "10.0.0.12-10.0.0.13"], left: [1, 2, 3, 6, 7] },
    { cidr: "10.0.0.8/29", reserved: ["10.0.0.0-10.0.0.9", "10.0.0.15/32"], left: [2, 3, 4, 5, 6] },
    { cidr: "10.0.0.8/29", reserved: ["10.0.0.0/8"], left: [] },
    { cidr: "10.0.0.8/29", reserved: ["10.0.0.16/29", "::/0"], left: [0, 1, 2, 3, 4, 5, 6, 7] },
    { cidr: "::8/125", reserved: ["::8", "::c-::d"], left: [1, 2, 3, 6, 7] },
    { cidr: "::8/125", reserved: ["::/64"], left: [] },
    { cidr: "::8/125", reserved: ["0.0.0.0/0"], left: [0, 1, 2, 3, 4, 5, 6, 7] },
  ])("leave out what is reserved: $reserved of $cidr", ({ cidr, reserved, left }) => {
    const block = blockWith({}, { cidr: network(cidr) });
    expect(byNumber(choose(block, ALL, { reserved: intervals(...reserved) }))).toEqual(left);
  });

  it("are not taken from reserved ones that have cooled, either", () => {
    const block = blockWith({ 0: cooling(1) }, { cidr: network("10.0.0.0/31") });
    expect(choose(block, ALL, { reserved: [interval("10.0.0.0")] })).toEqual([1]);
  });

  it("never have a tag that cannot be read", () => {
    const block = blockWith({ 0: foreign, 1: foreign }, { cidr: network("10.0.0.0/30") });
    expect(byNumber(choose(block, ALL))).toEqual([2, 3]);
  });

  it("are drawn from the random source and from nothing else", () => {
    const block = blockWith({}, { cidr: network("10.0.0.0/26") });
    expect(choose(block, 8, {}, 7)).toEqual(choose(block, 8, {}, 7));
    const firsts = Array.from({ length: 500 }, (_, seed) => choose(block, 1, {}, seed)[0]);
    expect(new Set(firsts).size).toBe(64);
  });

  it("are as many as there is said to be room for", () => {
    const anySlot = fc.constantFrom(taken(1), cooling(COOLED_MS), cooling(NOW_MS), foreign);
    const slots = fc.dictionary(fc.nat(7).map(String), anySlot);
    const reserved = fc.subarray(intervals("10.0.0.0", "10.0.0.3-10.0.0.5", "10.0.0.7-10.0.1.0"));
    fc.assert(
      fc.property(slots, reserved, (slots, reserved) => {
        const block = blockWith(slots);
        expect(roomIn(block, { ...RULES, reserved })).toBe(choose(block, ALL, { reserved }).length);
      }),
    );
  });
});

describe("a block", () => {
  it("knows what is held under a token", () => {
    const block = blockWith({ 0: taken(1), 2: taken(2), 5: taken(1), 6: cooling(NOW_MS, 1) });
    expect(takenUnder(block, token(1))).toEqual([0, 5]);
    expect(takenUnder(block, token(3))).toEqual([]);
    expect(takenUnder(undefined, token(1))).toEqual([]);
  });

  it.each([
    { description: "nothing was ever used", slots: {}, empty: true },
    { description: "all has cooled", slots: { 0: cooling(COOLED_MS), 1: cooling(1) }, empty: true },
    { description: "one is still cooling", slots: { 0: cooling(COOLED_MS + 1) }, empty: false },
    { description: "one is taken", slots: { 0: cooling(1), 7: taken() }, empty: false },
    { description: "a tag cannot be read", slots: { 0: foreign }, empty: false },
  ])("may be given up: $empty, when $description", ({ slots, empty }) => {
    expect(isEmpty(blockWith(slots), RULES)).toBe(empty);
  });

  it.each(BLOCKS_OF_EACH_SIZE)("has $capacity addresses if it is $size", ({ cidr, capacity }) => {
    expect(capacityOf({ cidr })).toBe(capacity);
  });
});

describe("a block is wholly reserved", () => {
  it.each([
    { description: "by nothing", cidr: "10.0.0.8/29", reserved: [], wholly: false },
    { description: "by itself", cidr: "10.0.0.8/29", reserved: ["10.0.0.8/29"], wholly: true },
    {
      description: "by itself, with more reserved above it",
      cidr: "10.0.0.8/29",
      reserved: ["10.0.0.8/29", "10.0.0.32/29"],
      wholly: true,
    },
    {
      description: "by itself, with more reserved above it in IPv6",
      cidr: "2001:db8::8/125",
      reserved: ["2001:db8::8/125", "2001:db8:1::/48"],
      wholly: true,
    },
    {
      description: "by a network around it",
      cidr: "10.0.0.8/29",
      reserved: ["10.0.0.0/8"],
      wholly: true,
    },
    {
      description: "by all but its first address",
      cidr: "10.0.0.8/29",
      reserved: ["10.0.0.9-10.0.0.15"],
      wholly: false,
    },
    {
      description: "by all but its last address",
      cidr: "10.0.0.8/29",
      reserved: ["10.0.0.8-10.0.0.14"],
      wholly: false,
    },
    {
      description: "by fragments out of order",
      cidr: "10.0.0.8/29",
      reserved: ["10.0.0.12-10.0.0.15", "10.0.0.8", "10.0.0.9-10.0.0.11"],
      wholly: true,
    },
    {
      description: "by fragments with a gap",
      cidr: "10.0.0.8/29",
      reserved: ["10.0.0.8-10.0.0.10", "10.0.0.12-10.0.0.15"],
      wholly: false,
    },
    {
      description: "by fragments that overlap and repeat",
      cidr: "10.0.0.8/29",
      reserved: ["10.0.0.0-10.0.0.12", "10.0.0.9-10.0.0.10", "10.0.0.11-10.0.0.20", "10.0.0.8"],
      wholly: true,
    },
    {
      description: "by the other family",
      cidr: "0.0.0.8/29",
      reserved: ["::/0"],
      wholly: false,
    },
    {
      description: "by half, the rest being of the other family",
      cidr: "::8/125",
      reserved: ["::8-::b", "0.0.0.12-0.0.0.15"],
      wholly: false,
    },
    {
      description: "by IPv6 fragments out of order",
      cidr: "2001:db8::8/125",
      reserved: ["2001:db8::c-2001:db8::f", "2001:db8::/126", "2001:db8::8-2001:db8::b"],
      wholly: true,
    },
    {
      description: "although most of a /116 is never listed",
      cidr: "2001:db8::/116",
      reserved: ["2001:db8::/48"],
      wholly: true,
    },
  ])("$description: $wholly", ({ cidr, reserved, wholly }) => {
    expect(isWhollyReserved(network(cidr), merged(intervals(...reserved)))).toBe(wholly);
  });

  it("exactly when it has no room although nothing of it was ever used, beside what its host keeps", () => {
    const cidr = network("10.0.0.8/29");
    const reservation = fc.tuple(fc.integer({ min: 0, max: 31 }), fc.nat(8)).map(([from, more]) => {
      const first = 0x0a000000n + BigInt(from);
      return { family: 4, first, last: first + BigInt(more) } as const;
    });
    fc.assert(
      fc.property(
        fc.array(reservation, { maxLength: 6 }),
        fc.record({ start: fc.nat(3), end: fc.nat(4) }),
        (reserved, hostReserved) => {
          const room = roomIn(blockWith({}, { cidr, hostReserved }), { ...RULES, reserved });
          expect(isWhollyReserved(cidr, merged(reserved), hostReserved)).toBe(room === 0);
        },
      ),
    );
  });
});

describe("a prefix", () => {
  const cidr = network("10.0.1.0/24");
  const { host: _, ...free } = blockWith({}, { cidr, whole: true });

  it.each(["10.0.1.0/24", "2001:db8:0:5::/64", "10.0.0.7/32"])("%s has one slot", (text) => {
    const block: Block = { ...free, cidr: network(text) };
    expect(capacityOf(block)).toBe(1);
    expect(choose(block, ALL)).toEqual([0]);
    expect(roomIn(block, RULES)).toBe(1);
    expect(roomIn({ ...block, slots: new Map([[0, taken()]]) }, RULES)).toBe(0);
  });

  it("is withheld by a reservation that touches it", () => {
    const pool = poolWith({ cidr: network("10.0.0.0/16"), blockSize: 24, assign: "prefixes" });
    const reserved = reservedFor(pool, {
      reserved: intervals("10.0.1.255", "10.0.3.0/25", "::/0"),
    });
    expect(reserved).toEqual(intervals("10.0.1.0/24", "10.0.3.0/24"));
    expect(choose(free, ALL, { reserved })).toEqual([]);
    expect(choose({ ...free, cidr: network("10.0.2.0/24") }, ALL, { reserved })).toEqual([0]);
  });

  it("has no host", () => {
    expect(() => assertBlock(free)).not.toThrow();
    expect(() => assertBlock({ ...free, host: "host:node-1" })).toThrow("it is a prefix");
    expect(() => assertBlock({ ...free, slots: new Map([[1, taken()]]) })).toThrow(
      "a slot 1, of 1",
    );
  });

  it("is what a new block of a pool of prefixes is", () => {
    const fresh = { epoch: "epoch", revision: "revision", claimedAtMs: NOW_MS };
    const pool = poolWith({ cidr: network("10.0.0.0/16"), blockSize: 24, assign: "prefixes" });
    expect(newSharedBlock(pool, cidr, fresh)).toEqual(free);
  });
});
