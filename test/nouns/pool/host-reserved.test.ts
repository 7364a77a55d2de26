import { describe, expect, it } from "vitest";
import { capacityOf, chooseOrdinals, isEmpty } from "../../../src/kernel/values/block.ts";
import { isHostReserved, prefixMaxBeside } from "../../../src/kernel/values/host.ts";
import { BLOCKS_OF_EACH_SIZE, blockWith, NOW_MS } from "../../builders.ts";
import { seededRandom } from "../../simulation/random.ts";

const RULES = { nowMs: NOW_MS, cooldownMs: 0, reserved: [] };

describe("what a host keeps of a block for itself", () => {
  it.each(BLOCKS_OF_EACH_SIZE.filter(({ capacity }) => capacity > 4))(
    "are the first and the last addresses of $size",
    ({ cidr, capacity }) => {
      const block = blockWith({}, { cidr, hostReserved: { start: 3, end: 1 } });
      const ordinals = Array.from({ length: capacityOf(block) }, (_, ordinal) => ordinal);
      expect(ordinals.filter((ordinal) => isHostReserved(block, ordinal))).toEqual([
        0,
        1,
        2,
        capacity - 1,
      ]);
      const chosen = chooseOrdinals(block, capacity, RULES, seededRandom(1));
      expect(chosen.toSorted((a, b) => a - b)).toEqual(ordinals.slice(3, -1));
    },
  );

  it("leaves the block empty", () => {
    expect(isEmpty(blockWith({}, { hostReserved: { start: 3, end: 1 } }), RULES)).toBe(true);
  });
});

describe("the smallest block that has an address left beside them", () => {
  it.each([
    [0, 0, 32, 128],
    [1, 0, 31, 127],
    [1, 1, 30, 126],
    [3, 0, 30, 126],
    [3, 1, 29, 125],
    [64, 1, 25, 121],
    [4_095, 0, 20, 116],
  ])("is, for %i + %i, a /%i of IPv4 and a /%i of IPv6", (start, end, ipv4, ipv6) => {
    expect(prefixMaxBeside(4, { start, end })).toBe(ipv4);
    expect(prefixMaxBeside(6, { start, end })).toBe(ipv6);
  });
});
