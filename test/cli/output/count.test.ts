import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countText, withShare } from "../../../src/cli/output/count.ts";

const anyCount = fc.bigInt({ min: 0n, max: 2n ** 128n });

/** Parses a text such as `2^96-17`. */
function read(text: string): bigint {
  const [, exponent, distance = "0"] = /^2\^(\d+)([+-]\d+)?$/.exec(text) ?? [];
  return exponent === undefined ? BigInt(text) : 2n ** BigInt(exponent) + BigInt(distance);
}

describe("a count", () => {
  it.each([
    [0, "0"],
    [256, "256"],
    [2 ** 32, "4294967296"],
    [2 ** 32 + 1, "2^32+1"],
    ["79228162514264337593543950336", "2^96"],
    ["79228162514264337593543950319", "2^96-17"],
    [`${2n ** 96n + 9_999n}`, "2^96+9999"],
    [`${2n ** 96n - 10_000n}`, "~2^96"],
    [`${3n * 2n ** 95n}`, "~2^96.6"],
    [`${2n ** 128n}`, "2^128"],
  ])("%s is %s", (count, text) => {
    expect(countText(count)).toBe(text);
  });

  it("is exact where it does not say that it is not, and near where it does", () => {
    fc.assert(
      fc.property(anyCount, (count) => {
        const text = countText(`${count}`);
        const isExact = !text.startsWith("~");
        if (isExact) expect(read(text)).toBe(count);
        const ratio = isExact ? 1 : Number(count) / 2 ** Number(text.slice("~2^".length));
        expect(Math.abs(ratio - 1)).toBeLessThan(0.04);
      }),
    );
  });
});

describe("a count with its share", () => {
  it.each([
    [0, 256, "0 (0%)"],
    [1, 256, "1 (0%)"],
    [2, 256, "2 (1%)"],
    [255, 256, "255 (100%)"],
    [1, 200, "1 (1%)"],
    [14, 16, "14 (88%)"],
    [17, "79228162514264337593543950336", "17 (0%)"],
    ["79228162514264337593543950319", "79228162514264337593543950336", "2^96-17"],
    [0, 0, "0"],
  ])("%s of %s is %s", (part, whole, text) => {
    expect(withShare(part, whole)).toBe(text);
  });

  it("has a share that is never off by more than a half", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 32n }), anyCount, (whole, seed) => {
        const part = seed % (whole + 1n);
        const [, share = ""] = / \((\d+)%\)$/.exec(withShare(`${part}`, `${whole}`)) ?? [];
        const off = 200n * part - 2n * BigInt(share) * whole;
        expect(off >= -whole && off < whole).toBe(true);
      }),
    );
  });
});
