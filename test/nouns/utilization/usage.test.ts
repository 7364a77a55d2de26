import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capacityOf, roomIn } from "../../../src/kernel/values/block.ts";
import type { Slot } from "../../../src/kernel/values/slot.ts";
import { merged } from "../../../src/net/cidr.ts";
import {
  NO_USAGE,
  sumOf,
  type Usage,
  usageOf,
  usageOutsideBlocks,
} from "../../../src/nouns/utilization/usage.ts";
import {
  blockWith,
  cooling,
  foreign,
  interval,
  intervals,
  NOW_MS,
  quarantined,
  taken,
} from "../../builders.ts";

const rulesWith = (...reserved: string[]) => ({
  nowMs: NOW_MS,
  cooldownMs: 60_000,
  reserved: merged(intervals(...reserved)),
});

const adds = ({ capacity, inUse, hostReserved, reserved, cooling, available }: Usage) =>
  capacity === inUse + hostReserved + reserved + cooling + available;

describe("the addresses of a block", () => {
  it("are in use, reserved, cooling or available, each of them one of these", () => {
    // 10.0.0.0 … 7: taken, unreadable, cooling, cooled, in quarantine, and three never used.
    const block = blockWith({
      0: taken(),
      1: foreign,
      2: cooling(NOW_MS),
      3: cooling(0),
      4: quarantined(NOW_MS - 100_000, 3_600),
    });
    const usage = usageOf(block, rulesWith("10.0.0.7"));
    expect(usage).toEqual({
      capacity: 8n,
      inUse: 2n,
      hostReserved: 0n,
      reserved: 1n,
      cooling: 2n,
      available: 3n,
    });
  });

  it("are in use when taken and reserved, and reserved when cooling and reserved", () => {
    const block = blockWith({ 0: taken(), 2: cooling(NOW_MS) });
    const usage = usageOf(block, rulesWith("10.0.0.0-10.0.0.2"));
    expect(usage).toEqual({
      capacity: 8n,
      inUse: 1n,
      hostReserved: 0n,
      reserved: 2n,
      cooling: 0n,
      available: 5n,
    });
  });

  it("are held where the host keeps them for itself, whether or not they are reserved", () => {
    const block = blockWith({ 3: taken() }, { hostReserved: { start: 3, end: 1 } });
    expect(usageOf(block, rulesWith("10.0.0.0", "10.0.0.4"))).toEqual({
      capacity: 8n,
      inUse: 1n,
      hostReserved: 4n,
      reserved: 1n,
      cooling: 0n,
      available: 2n,
    });
  });

  const anySlot: fc.Arbitrary<Slot> = fc.oneof(
    fc.constant(taken()),
    fc.constant(foreign),
    fc.constantFrom(0, NOW_MS).map((sinceMs) => cooling(sinceMs)),
  );
  const anySlots = fc.dictionary(fc.nat(7).map(String), anySlot);
  const anyRun = fc
    .tuple(fc.nat(9), fc.nat(9))
    .map(([a, b]) => `10.0.0.${Math.min(a, b)}-10.0.0.${Math.max(a, b)}`);

  it("add up, and as many are available as could be assigned", () => {
    fc.assert(
      fc.property(anySlots, fc.array(anyRun), (slots, runs) => {
        const [block, rules] = [blockWith(slots), rulesWith(...runs)];
        const usage = usageOf(block, rules);
        expect(adds(usage)).toBe(true);
        expect(usage.capacity).toBe(BigInt(capacityOf(block)));
        expect(usage.available).toBe(BigInt(roomIn(block, rules)));
      }),
    );
  });
});

describe("the addresses of a pool outside its blocks", () => {
  it.each([
    ["10.0.0.0/8", 2n ** 24n],
    ["2001:db8::/32", 2n ** 96n],
    ["::/0", 2n ** 128n],
  ])("are all of an empty %s", (cidr, capacity) => {
    const usage = usageOutsideBlocks([interval(cidr)], [], { capacity: 0n, reserved: 0n });
    expect(usage).toEqual({ ...NO_USAGE, capacity, available: capacity });
  });

  it("are reserved once where reservations overlap, and not where these leave the pool", () => {
    const reserved = merged(intervals("10.0.0.0/30", "10.0.0.2-10.0.0.9", "9.0.0.0/8", "::/64"));
    const usage = usageOutsideBlocks(intervals("10.0.0.0/24"), reserved, {
      capacity: 8n,
      reserved: 8n,
    });
    expect(usage).toEqual({ ...NO_USAGE, capacity: 248n, reserved: 2n, available: 246n });
  });

  it("are none where the pool got smaller while its blocks were counted", () => {
    const inBlocks = { capacity: 320n, reserved: 0n };
    expect(usageOutsideBlocks(intervals("10.0.0.0/24"), [], inBlocks)).toEqual(NO_USAGE);
  });

  it("add up with those of the blocks, also when reservations changed while these were counted", () => {
    const pool = intervals("10.0.0.0/24");
    fc.assert(
      fc.property(fc.nat(256), fc.nat(256), fc.nat(300), (size, inBlocks, now) => {
        const reserved = now === 0 ? [] : [interval(`10.0.0.0-10.0.${now >> 8}.${now & 255}`)];
        const blocks: Usage = { ...NO_USAGE, capacity: BigInt(size), inUse: BigInt(size) };
        const outside = usageOutsideBlocks(pool, reserved, {
          capacity: BigInt(size),
          reserved: BigInt(Math.min(size, inBlocks)),
        });
        const sum = sumOf(blocks, outside);
        expect(adds(sum)).toBe(true);
        expect(sum.capacity).toBe(256n);
        for (const count of Object.values(outside)) expect(count).toBeGreaterThanOrEqual(0n);
      }),
    );
  });
});

it("addresses of a set within a block are counted alone", () => {
  const block = blockWith({ 0: taken(), 3: taken(), 5: cooling(NOW_MS) });
  const rules = { nowMs: NOW_MS, cooldownMs: 30_000, reserved: intervals("10.0.0.4") };
  expect(usageOf(block, rules, intervals("10.0.0.3-10.0.0.6"))).toEqual({
    capacity: 4n,
    inUse: 1n,
    hostReserved: 0n,
    reserved: 1n,
    cooling: 1n,
    available: 1n,
  });
});
