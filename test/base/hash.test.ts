import { describe, expect, it } from "vitest";
import { fnv1a64, handleHash } from "../../src/base/hash.ts";

describe("the hash of a text", () => {
  // The vectors published with draft-eastlake-fnv.
  it.each([
    { text: "", hash: 0xcbf29ce484222325n },
    { text: "a", hash: 0xaf63dc4c8601ec8cn },
    { text: "foobar", hash: 0x85944171f73967e8n },
    { text: "chongo was here!\n", hash: 0x46810940eff5f915n },
  ])("is FNV-1a of 64 bits: $text", ({ text, hash }) => {
    expect(fnv1a64(text)).toBe(hash);
  });

  it("is that of its UTF-8 bytes", () => {
    expect(fnv1a64("zürich")).toBe(0xfe8bb21e6544b7a0n);
  });

  it("is 16 digits in keys, also when it begins with a zero", () => {
    expect(handleHash("foobar")).toBe("85944171f73967e8");
    expect(handleHash("web-600")).toBe("080d37646813e136");
  });
});
