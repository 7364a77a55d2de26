import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BLOCKS_PER_GROUP,
  blockOf,
  blocksIn,
  blocksOfGroup,
  GROUPS_PER_WINDOW,
  groupAt,
  groupCount,
  groupIndexOf,
  groupOf,
  groupOrder,
  isBlockOf,
} from "../../../src/kernel/values/block-group.ts";
import { contains, formatCidr, parseInterval } from "../../../src/net/cidr.ts";
import { address, network } from "../../builders.ts";

const grid = (pool: string, blockSize: number) => ({ cidr: network(pool), blockSize });

describe("a block group", () => {
  it.each([
    { block: "10.32.16.0/20", group: "10.32.0.0/14", description: "largest IPv4" },
    { block: "10.32.17.64/26", group: "10.32.16.0/20", description: "default IPv4" },
    { block: "10.32.0.71/32", group: "10.32.0.64/26", description: "smallest IPv4" },
    { block: "2001:db8::5:1000/116", group: "2001:db8::4:0/110", description: "largest IPv6" },
    { block: "2001:db8::1040/122", group: "2001:db8::1000/116", description: "default IPv6" },
    { block: "2001:db8::47/128", group: "2001:db8::40/122", description: "smallest IPv6" },
    { block: "10.0.0.0/8", group: "0.0.0.0/2", description: "largest IPv4 prefix" },
    { block: "2001:db8:0:5::/64", group: "2001:db8::/58", description: "default IPv6 prefix" },
    { block: "2001::/16", group: "2000::/10", description: "largest IPv6 prefix" },
  ])("of $description blocks is 64 of them, aligned", ({ block, group }) => {
    const { prefix } = network(block);
    const blocks = blocksOfGroup(grid(group, prefix), network(group));
    expect(formatCidr(groupOf(network(block)))).toBe(group);
    expect(blocks).toContainEqual(network(block));
    expect(new Set(blocks.map(formatCidr)).size).toBe(BLOCKS_PER_GROUP);
    for (const block of blocks) expect(formatCidr(groupOf(block))).toBe(group);
  });

  it.each([
    { pool: "10.0.0.128/25", size: 26, blocks: ["10.0.0.128/26", "10.0.0.192/26"] },
    { pool: "10.0.0.64/26", size: 26, blocks: ["10.0.0.64/26"] },
    { pool: "2001:db8::80/121", size: 122, blocks: ["2001:db8::80/122", "2001:db8::c0/122"] },
  ])("of the small pool $pool shows the blocks of that pool only", ({ pool, size, blocks }) => {
    const small = grid(pool, size);
    expect(groupCount(small)).toBe(1n);
    expect(blocksOfGroup(small, groupAt(small, 0n)).map(formatCidr)).toEqual(blocks);
  });

  it.each([
    { pool: "10.0.0.0/24", size: 26, range: "10.0.0.64/26", blocks: ["10.0.0.64/26"] },
    {
      pool: "10.0.0.0/24",
      size: 26,
      range: "10.0.0.128/25",
      blocks: ["10.0.0.128/26", "10.0.0.192/26"],
    },
    { pool: "10.0.0.0/25", size: 26, range: "10.0.0.0/8", blocks: ["10.0.0.0/26", "10.0.0.64/26"] },
    {
      pool: "2001:db8::/48",
      size: 122,
      range: "2001:db8::80/121",
      blocks: ["2001:db8::80/122", "2001:db8::c0/122"],
    },
  ])("of $pool: $range is the blocks $blocks", ({ pool, size, range, blocks }) => {
    expect([...blocksIn(grid(pool, size), network(range))].map(formatCidr)).toEqual(blocks);
  });

  it.each([
    { after: "10.0.0.0", blocks: ["10.0.0.192/26"] },
    { after: "10.0.0.128", blocks: ["10.0.0.192/26"] },
    { after: "10.0.0.191", blocks: ["10.0.0.192/26"] },
    { after: "10.0.0.192", blocks: [] },
    { after: "10.9.0.0", blocks: [] },
  ])("after $after of a range are $blocks", ({ after, blocks }) => {
    const range = network(after === "10.0.0.0" ? "10.0.0.192/26" : "10.0.0.128/25");
    const rest = blocksIn(grid("10.0.0.0/24", 26), range, address(after));
    expect([...rest].map(formatCidr)).toEqual(blocks);
  });

  it("of a range of an IPv6 pool are made one by one, however many there are", () => {
    const first = blocksIn(grid("2001:db8::/48", 122), network("2001:db8::/48")).next().value;
    expect(first && formatCidr(first)).toBe("2001:db8::/122");
  });

  it("is found again by its number in the pool", () => {
    const pools = [
      grid("10.0.0.0/8", 26),
      grid("10.0.0.128/25", 26),
      grid("0.0.0.0/0", 32),
      grid("2001:db8::/48", 122),
      grid("2001:db8::/96", 128),
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...pools),
        fc.bigInt({ min: 0n, max: 2n ** 70n }),
        (pool, number) => {
          const index = number % groupCount(pool);
          expect(groupIndexOf(pool, groupAt(pool, index))).toBe(index);
        },
      ),
    );
  });

  it("is found again by its number, deep in a huge pool too", () => {
    const huge = grid("2001:db8::/48", 122);
    const group = groupOf(network("2001:db8:0:8000::1040/122"));
    expect(groupAt(huge, groupIndexOf(huge, group))).toEqual(group);
  });

  it.each([
    { pool: "10.0.0.0/16", size: 26, first: "10.0.0.0/20", last: "10.0.240.0/20", groups: 16 },
    {
      pool: "2001:db8::/112",
      size: 122,
      first: "2001:db8::/116",
      last: "2001:db8::f000/116",
      groups: 16,
    },
  ])(
    "is one of $groups block groups in $pool, from $first to $last",
    ({ pool, size, first, last, groups }) => {
      const whole = grid(pool, size);
      expect(groupCount(whole)).toBe(BigInt(groups));
      expect(formatCidr(groupAt(whole, 0n))).toBe(first);
      expect(formatCidr(groupAt(whole, BigInt(groups - 1)))).toBe(last);
    },
  );
});

describe("an address", () => {
  it.each([
    { text: "10.0.0.77", size: 26, block: "10.0.0.64/26" },
    { text: "2001:db8::7f", size: 122, block: "2001:db8::40/122" },
  ])("lies in one block of its pool: $text in $block", ({ text, size, block }) => {
    expect(formatCidr(blockOf(address(text), size))).toBe(block);
  });
});

describe("the order in which a host tries the block groups of a pool", () => {
  it.each([
    { pool: "10.0.0.128/25", size: 26, groups: 1n },
    { pool: "10.0.0.0/19", size: 26, groups: 2n },
    { pool: "10.0.0.0/14", size: 26, groups: 64n },
    { pool: "10.0.0.0/8", size: 26, groups: GROUPS_PER_WINDOW },
    { pool: "8.0.0.0/6", size: 26, groups: 4n * GROUPS_PER_WINDOW },
    { pool: "2001:db8::/120", size: 122, groups: 1n },
    { pool: "2001:db8::/110", size: 122, groups: 64n },
    { pool: "2001:db8::/102", size: 122, groups: 4n * GROUPS_PER_WINDOW },
  ])(
    "has each of the $groups block groups block groups of $pool exactly once",
    ({ pool, size, groups }) => {
      for (const host of ["host:node-1", "host:node-2", "virtual:node-1"] as const) {
        const order = [...groupOrder(grid(pool, size), host)];
        const inOrder = order.toSorted((a, b) => Number(a - b));
        expect(inOrder).toEqual(Array.from({ length: Number(groups) }, (_, i) => BigInt(i)));
      }
    },
  );

  it("has each block group exactly once whatever the host is called", () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(new Set(groupOrder(grid("10.0.0.0/14", 26), `host:${name}`)).size).toBe(64);
      }),
    );
  });

  it("is the same for the same host, and another for another", () => {
    const order = (host: string) => [...groupOrder(grid("10.0.0.0/14", 26), `host:${host}`)];
    expect(order("node-1")).toEqual(order("node-1"));
    expect(order("node-2")).not.toEqual(order("node-1"));
  });

  it("lets hosts with numbered names start all over the pool", () => {
    const starts = Array.from({ length: 64 }, (_, i) =>
      firstOf(1, groupOrder(grid("10.0.0.0/8", 26), `host:node-${i}`)).join(),
    );
    expect(new Set(starts).size).toBeGreaterThan(60);
  });

  it.each([
    { reserved: "10.0.0.0-10.7.255.223", left: [2n * GROUPS_PER_WINDOW - 1n] },
    { reserved: "10.0.0.0-10.3.255.223", left: [GROUPS_PER_WINDOW - 1n] },
    { reserved: "10.0.0.0-10.7.255.255", left: [] },
  ])("has no group that is wholly reserved, and each that is partly: $reserved", (each) => {
    const pool = grid("10.0.0.0/13", 32);
    const { reserved, left } = each;
    const run = parseInterval(reserved);
    if (!run.ok) throw new Error(run.problem);
    const order = [...groupOrder(pool, "host:node-1", [run.value])];
    expect(order.slice(0, 1)).toEqual(left);
  });

  it("leaves the second window alone until the first is used up", () => {
    const [first, next] = [Number(GROUPS_PER_WINDOW), 2 * Number(GROUPS_PER_WINDOW)];
    const order = firstOf(next, groupOrder(grid("8.0.0.0/6", 26), "host:node-1")).map(Number);
    expect(Math.max(...order.slice(0, first))).toBe(first - 1);
    expect(Math.min(...order.slice(first))).toBe(first);
    expect(Math.max(...order.slice(first))).toBe(next - 1);
  });

  it.each([
    { pool: "10.0.0.0/8", size: 26, groups: 2n ** 12n },
    { pool: "2001:db8::/48", size: 122, groups: 2n ** 68n },
    { pool: "::/0", size: 128, groups: 2n ** 122n },
  ])(
    "is made on demand: $pool has $groups block groups block groups and none is listed",
    ({ pool, size, groups }) => {
      const huge = grid(pool, size);
      expect(groupCount(huge)).toBe(groups);
      const order = firstOf(4, groupOrder(huge, "host:node-1"));
      expect(new Set(order).size).toBe(4);
      for (const index of order) {
        const [block] = blocksOfGroup(huge, groupAt(huge, index));
        expect(block && contains(huge.cidr, { family: block.family, value: block.base })).toBe(
          true,
        );
      }
    },
  );
});

/** The first items, without asking for the rest. */
function firstOf(count: number, order: Iterator<bigint>): bigint[] {
  return Array.from({ length: count }, () => order.next().value as bigint);
}

describe("a block of a pool", () => {
  const pool = { cidr: network("10.0.0.0/16"), blockSize: 26 };
  it.each([
    { block: "10.0.1.64/26", description: "has its size and lies in it", is: true },
    { block: "10.0.1.64/27", description: "is none when smaller", is: false },
    { block: "10.0.1.0/25", description: "is none when larger", is: false },
    { block: "10.1.0.0/26", description: "is none beside it", is: false },
    { block: "2001:d80::/26", description: "is none of the other family", is: false },
  ])("$description: $block", ({ block, is }) => {
    expect(isBlockOf(pool, network(block))).toBe(is);
  });
});
