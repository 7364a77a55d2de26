import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hostColours } from "../../../console/src/map/colours.ts";
import { FILLS } from "../../../console/src/map/tiles.ts";

/** What WCAG 2.2 requires of graphics (1.4.11) and of small text (1.4.3). */
const GRAPHIC_MIN = 3;
const TEXT_MIN = 4.5;
/**
 * What tells two neighbouring steps of fill apart. Six steps of 3:1 would need a contrast of 729:1, and black on white has 21:1. From the
 * first step, which has 3:1 to an unclaimed tile, five equal steps to the end of a scheme have 1.40:1.
 */
const STEP_MIN = 1.35;

const SCHEMES = ["light", "dark"] as const;
type Scheme = (typeof SCHEMES)[number];

const TOKENS = new Map(
  [
    ...readFileSync(
      new URL("../../../console/src/styles/colours.css", import.meta.url),
      "utf8",
    ).matchAll(/--([\w-]+): (?:light-dark\((.+), (.+)\)|(#\w+));/g),
  ].map(([, name = "", light, dark, both]) => [name, { light: light ?? both, dark: dark ?? both }]),
);

/** Returns the colour of a token in a scheme. */
function token(name: string, scheme: Scheme): string {
  const colour = TOKENS.get(name)?.[scheme];
  if (!colour) throw new Error(`there is no colour ${name}`);
  return colour;
}

const named = (prefix: string): readonly string[] =>
  [...TOKENS.keys()].filter((name) => name.startsWith(prefix) && !name.endsWith("-ink"));

describe.each(SCHEMES)("in the %s scheme", (scheme) => {
  const grounds = ["ground", "unclaimed"].map((name) => token(name, scheme));
  const contrastWithGrounds = (colour: string) =>
    Math.min(...grounds.map((ground) => contrast(colour, ground)));

  it.each([...named("fill-"), ...named("is-"), "nobody-used"])(
    "a tile of --%s stands out from the page and from unclaimed tiles, without an outline",
    (name) => {
      expect(contrastWithGrounds(token(name, scheme))).toBeGreaterThanOrEqual(GRAPHIC_MIN);
    },
  );

  it.each([...named("fill-"), ...named("is-")])("the text on --%s can be read", (name) => {
    const ink = token(`${name}-ink`, scheme);
    expect(contrast(ink, token(name, scheme))).toBeGreaterThanOrEqual(TEXT_MIN);
  });

  it.each(FILLS.slice(1).map((fill, i) => [FILLS[i] ?? "", fill]))(
    "the fills %s and %s are told apart",
    (before, after) => {
      const [a, b] = [before, after].map((fill) => token(`fill-${fill}`, scheme));
      expect(contrast(a ?? "", b ?? "")).toBeGreaterThanOrEqual(STEP_MIN);
    },
  );

  it("the outline of a block stands out in the colour of each host, and its text can be read", () => {
    const ink = token("host-ink", scheme);
    for (let hue = 0; hue < 360; hue++) {
      const { ground, used } = hostColours(hue, scheme);
      expect(contrastWithGrounds(used), used).toBeGreaterThanOrEqual(GRAPHIC_MIN);
      for (const colour of [ground, used])
        expect(contrast(ink, colour), colour).toBeGreaterThanOrEqual(TEXT_MIN);
    }
  });

  it.each(named("use-").filter((name) => name !== "use-available"))(
    "the share of --%s stands out from what is free",
    (name) => {
      const free = token("use-available", scheme);
      expect(contrast(token(name, scheme), free)).toBeGreaterThanOrEqual(GRAPHIC_MIN);
    },
  );
});

/** Returns the contrast of two colours of CSS, as WCAG defines it. */
function contrast(a: string, b: string): number {
  const [lighter = 0, darker = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = colour.startsWith("#")
    ? linearOfHex(colour)
    : linearOfOklch(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linearOfHex(colour: string): readonly number[] {
  const digits = colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit) : [];
  const parts = digits.length > 0 ? digits : (colour.slice(1).match(/../g) ?? []);
  return parts.map((part) => {
    const share = Number.parseInt(part, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
}

/** The matrices are those of https://www.w3.org/TR/css-color-4/#color-conversion-code. */
function linearOfOklch(colour: string): readonly number[] {
  const [lightness = 0, chroma = 0, hue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((part) => Math.min(1, Math.max(0, part)));
}
