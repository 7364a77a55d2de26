import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withShare } from "../../../src/cli/output/count.ts";

describe("a count with its share", () => {
  it.each([
    [0, 256, "0 (0%)"],
    [1, 256, "1 (0%)"],
    [2, 256, "2 (1%)"],
    [255, 256, "255 (100%)"],
    [1, 200, "1 (1%)"],
    [14, 16, "14 (88%)"],
    [
      "309485009821345068724781055",
      "309485009821345068724781056",
      "309485009821345068724781055 (100%)",
    ],
    [0, 0, "0"],
  ])("%s of %s is %s", (part, whole, text) => {
    expect(withShare(part, whole)).toBe(text);
  });

  it("is never rounded, and its share is never off by more than a half", () => {
    const anyCount = fc.bigInt({ min: 1n, max: 2n ** 128n });
    fc.assert(
      fc.property(anyCount, fc.bigInt({ min: 0n, max: 2n ** 128n }), (whole, seed) => {
        const part = seed % (whole + 1n);
        const [, count = "", share = ""] =
          /^(\d+) \((\d+)%\)$/.exec(withShare(`${part}`, `${whole}`)) ?? [];
        expect(BigInt(count)).toBe(part);
        const off = 200n * part - 2n * BigInt(share) * whole;
        expect(off >= -whole && off < whole).toBe(true);
      }),
    );
  });
});
