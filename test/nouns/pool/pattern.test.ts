import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPattern, matchesPattern, parsePattern } from "../../../src/nouns/pool/pattern.ts";

const matches = (pattern: string, name: string): boolean => {
  const read = parsePattern(pattern);
  if (!read.ok) throw new Error(read.problem);
  return matchesPattern(read.value, name);
};

describe("a pattern over names of pools", () => {
  it.each([
    ["*", "web-1"],
    ["*", ""],
    ["web-*", "web-"],
    ["*-1", "web-1-1"],
    ["w?b-1", "web-1"],
    ["web-[1-3]", "web-2"],
    ["web-[19a-c]", "web-b"],
    ["web-[^1-3]", "web-4"],
    ["a*b*c", "a-b-b-c-c"],
    ["web.*", "web.v4"],
  ])("%s matches %s", (pattern, name) => {
    expect(matches(pattern, name)).toBe(true);
  });

  it.each([
    ["web-*", "web"],
    ["web", "web-1"],
    ["?", ""],
    ["web-?", "web-10"],
    ["web-[1-3]", "web-4"],
    ["web-[1-3]", "web-"],
    ["web-[^1-3]", "web-2"],
    ["a*b*c", "a-c-b"],
    ["web.", "web1"],
  ])("%s does not match %s", (pattern, name) => {
    expect(matches(pattern, name)).toBe(false);
  });

  it.each(["[", "]", "web-[", "web-[]", "web-[a", "[a-]", "[-a]", "[c-a]", "[^]", "a\\*", "Web-*"])(
    "%s is malformed",
    (text) => {
      expect(parsePattern(text)).toMatchObject({ ok: false });
    },
  );

  it("matches what the regular expression of the same meaning matches", () => {
    const part = fc.constantFrom("*", "?", "a", "b", "-", "[ab]", "[^a]");
    const name = fc.string({ unit: fc.constantFrom("a", "b", "-"), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), name, (parts, name) => {
        const meaning = parts.join("").replaceAll("*", ".*").replaceAll("?", ".");
        expect(matches(parts.join(""), name)).toBe(new RegExp(`^${meaning}$`).test(name));
      }),
    );
  });

  it("takes no time that explodes", () => {
    expect(matches(`${"a*".repeat(120)}b`, "a".repeat(253))).toBe(false);
  });

  it("is told from a name by its characters", () => {
    expect(["*", "web-?", "[a-c]", "]"].every(isPattern)).toBe(true);
    expect(["web-1", "web.v4", "10.0.0.0/16"].some(isPattern)).toBe(false);
  });
});
