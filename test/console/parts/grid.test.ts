import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  closer,
  farther,
  gridOf,
  indexAt,
  indexOf,
  movedBy,
  tileAt,
  tilesOf,
} from "../../../console/src/map/grid.ts";
import { blocksIn, tilesWithin, usuallyShown } from "../../../console/src/map/tiles.ts";
import {
  cidrText,
  contains,
  coveredBy,
  readCidr,
  readStretch,
  stretchText,
  within,
} from "../../../console/src/network/cidr.ts";

const cidr = (text: string) => {
  const read = readCidr(text);
  if (!read) throw new Error(`${text} is no CIDR`);
  return read;
};

const usage = {
  capacity: 64,
  inUse: 10,
  hostReserved: 0,
  reserved: 0,
  cooling: 4,
  available: 50,
};

const block = (text: string, ...hosts: readonly string[]) => ({
  ...cidr(text),
  blocks: 1,
  hosts,
  usage,
});

describe("the grid of a network", () => {
  it("has a tile for each block where there is room", () => {
    const grid = gridOf(cidr("10.64.0.0/20"), 26, 1_100);
    expect(tilesOf(grid)).toBe(64);
    expect(cidrText(tileAt(grid, 63))).toBe("10.64.15.192/26");
  });

  it("has larger networks as tiles where blocks would be too small to see", () => {
    const grid = gridOf(cidr("10.0.0.0/8"), 26, 320);
    expect(grid.tileLength).toBeLessThan(26);
    expect(grid.tileWidth).toBeGreaterThanOrEqual(4);
  });

  it("has a place for each address of the network, and its tile has the address, in either family and any width", () => {
    const networks = fc.constantFrom("10.0.0.0/8", "10.64.0.0/20", "2001:db8::/48", "10.0.0.0/28");
    fc.assert(
      fc.property(networks, fc.integer({ min: 300, max: 2_000 }), fc.nat(), (text, width, seed) => {
        const shown = cidr(text);
        const item = Math.max(shown.length, shown.bits - 6);
        const grid = gridOf(shown, item, width);
        const index = seed % tilesOf(grid);
        const tile = tileAt(grid, index);
        expect(contains(shown, tile)).toBe(true);
        expect(indexOf(grid, tile)).toBe(index);
        const x = ((index % grid.columns) + 0.5) * grid.tileWidth;
        const y = (Math.floor(index / grid.columns) + 0.5) * grid.tileHeight;
        expect(indexAt(grid, x, y)).toBe(index);
        expect(grid.columns * grid.tileWidth).toBeLessThanOrEqual(width + 0.001);
      }),
    );
  });

  it("is one tile where the network is smaller than a block, and has no blocks", () => {
    const grid = gridOf(cidr("10.0.0.0/28"), 26, 1_100);
    expect([grid.columns, grid.rows, cidrText(tileAt(grid, 0))]).toEqual([1, 1, "10.0.0.0/28"]);
    expect(tilesWithin(grid, [])).toEqual([undefined]);
    expect(blocksIn(cidr("10.0.0.0/28"), 26)).toBe(0);
    expect(blocksIn(cidr("10.0.0.0/24"), 26)).toBe(4);
  });

  it("leads from the whole to a block and back in steps that all have the block", () => {
    const whole = cidr("10.0.0.0/8");
    const wanted = cidr("10.77.3.64/26");
    let shown = whole;
    for (let step = 0; step < 20; step++) shown = closer(gridOf(shown, 26, 1_100), 26, wanted);
    expect(cidrText(shown)).toBe("10.77.3.0/25");
    for (let step = 0; step < 20; step++) shown = farther(shown, whole);
    expect(cidrText(shown)).toBe("10.0.0.0/8");
  });
});

describe("a grid that moves", () => {
  const whole = cidr("10.64.0.0/16");
  const stretches = fc.record({
    base: fc.nat({ max: 2 ** 16 - 1 }),
    length: fc.integer({ min: 17, max: 25 }),
  });
  const gridFrom = ({ base, length }: { base: number; length: number }, width: number) =>
    gridOf(within(whole, { bits: 32, base: whole.base + BigInt(base), length }), 26, width);

  it("shows whole rows of the pool, however far it moves and however wide it is", () => {
    const widths = fc.integer({ min: 300, max: 2_000 });
    fc.assert(
      fc.property(stretches, widths, fc.integer({ min: -99, max: 99 }), (from, width, rows) => {
        const grid = movedBy(gridFrom(from, width), rows, whole);
        const [first, last] = [tileAt(grid, 0), tileAt(grid, tilesOf(grid) - 1)];
        expect([contains(whole, first), contains(whole, last)]).toEqual([true, true]);
        const rowSize = BigInt(grid.columns) << BigInt(32 - grid.tileLength);
        expect(first.base % rowSize).toBe(0n);
      }),
    );
  });

  it("moves back by as many rows as it moved, if the pool has them", () => {
    const grid = gridFrom({ base: 2 ** 15, length: 22 }, 1_100);
    expect(movedBy(movedBy(grid, 3, whole), -3, whole)).toEqual(grid);
  });

  it("has its addresses in one network or in two, and names them", () => {
    const aligned = readStretch("10.64.4.0/22");
    const between = readStretch("10.64.6.0/22");
    if (!aligned || !between) throw new Error("it is no CIDR");
    expect(coveredBy(aligned).map(cidrText)).toEqual(["10.64.4.0/22"]);
    expect(coveredBy(between).map(cidrText)).toEqual(["10.64.4.0/22", "10.64.8.0/22"]);
    expect(stretchText(aligned)).toBe("10.64.4.0/22");
    expect(stretchText(between)).toBe("10.64.6.0 to 10.64.9.255");
  });
});

describe("the tiles of blocks", () => {
  it("sum the blocks of a larger network, with its hosts", () => {
    const grid = { shown: cidr("10.0.0.0/16"), tileLength: 24, columns: 16, rows: 16 };
    const blocks = [block("10.0.1.0/26", "a"), block("10.0.1.64/26", "b"), block("10.1.0.0/26")];
    const tiles = tilesWithin(grid, blocks);
    expect(tiles.flatMap((tile, index) => (tile ? [index] : []))).toEqual([1]);
    expect(tiles[1]).toEqual({
      blocks: 2,
      hosts: ["a", "b"],
      usage: { ...usage, capacity: 128, inUse: 20, cooling: 8, available: 100 },
    });
  });

  it("are at first those around the blocks of a pool that no map has room for", () => {
    const whole = cidr("2001:db8::/64");
    const blocks = [block("2001:db8::40/122"), block("2001:db8::ff00/122")];
    expect(cidrText(usuallyShown(whole, 122, blocks))).toBe("2001:db8::/112");
    expect(usuallyShown(whole, 122, [])).toBe(whole);
  });
});
