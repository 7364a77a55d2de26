import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leadsTo } from "../../../src/kernel/values/fresh.ts";
import { formatGeneration, parseGeneration } from "../../../src/kernel/values/generation.ts";
import { address, anyAddress, anyHandleHash, anyToken, token } from "../../builders.ts";

const lone = {
  token: token(1),
  address: address("10.0.0.7"),
  blockSize: 26,
  handleHash: "85944171f73967e8",
  allocationId: token(2),
  keyed: false,
  readsFirst: false,
  want: 1,
};

const anyGeneration = fc
  .record({
    token: anyToken,
    address: anyAddress,
    blockSize: fc.nat(128),
    handleHash: anyHandleHash,
    allocationId: fc.oneof(anyToken, anyHandleHash),
    want: fc.integer({ min: 1, max: 9_999 }),
    kind: fc.constantFrom("keyed", "readsFirst", "sole", "kept", "instance"),
    incarnation: anyToken,
  })
  .map(({ kind, incarnation, ...generation }) => {
    const isOfInstance = kind === "kept" || kind === "instance";
    return {
      ...generation,
      keyed: kind === "keyed" || isOfInstance,
      readsFirst: kind === "readsFirst",
      ...(isOfInstance && { instance: { incarnation, keeps: kind === "kept" } }),
    };
  })
  .filter((generation) =>
    leadsTo(generation.token, { id: generation.allocationId, keyed: generation.keyed }),
  );

describe("a generation", () => {
  it("comes back from its text as it went in", () => {
    fc.assert(
      fc.property(anyGeneration, (generation) => {
        const text = formatGeneration(generation);
        expect(parseGeneration(text)).toEqual({ ok: true, value: generation });
        expect(encodeURIComponent(text)).toBe(text);
      }),
      {
        examples: [
          [lone],
          [{ ...lone, keyed: true, allocationId: "0123456789abcdef" }],
          [{ ...lone, blockSize: 128, want: 9_999, address: address("::") }],
          [{ ...lone, token: "---------------", allocationId: "_______________" }],
        ],
      },
    );
  });

  const text = formatGeneration(lone);
  it.each([
    { description: "empty", text: "" },
    {
      description: "of a token that leads to another allocation",
      text: formatGeneration({ ...lone, token: `K${lone.allocationId.slice(0, 6)}--------` }),
    },
    { description: "of an instance without its incarnation", text: text.replace(".i", ".s") },
    { description: "of no instance with an incarnation", text: `${text}.${token(3)}` },
    { description: "a number", text: "7" },
    { description: "of a version to come", text: text.replace("g1", "g2") },
    { description: "cut off", text: text.slice(0, -2) },
    { description: "followed by more", text: `${text}.1` },
    { description: "followed by a line break", text: `${text}\n` },
    { description: "without its token", text: text.replace(lone.token, "") },
    { description: "with a token too long", text: text.replace(lone.token, `${lone.token}A`) },
    { description: "of no request", text: text.replace(/1$/, "0") },
    { description: "of a block longer than an address", text: text.replace(".26.", ".129.") },
    { description: "with a hash in upper case", text: text.toUpperCase().replace("G1", "g1") },
    { description: "with a key separator in it", text: text.replace(/.(?=\.1$)/, "#") },
  ])("is rejected when it is $description", ({ text }) => {
    expect(parseGeneration(text)).toEqual({
      ok: false,
      problem: "is not a generation; release the one that assign answered with",
    });
  });
});
