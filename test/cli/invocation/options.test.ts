import { InvalidArgumentError } from "commander";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { count, hostReservedOf, keyValue } from "../../../src/cli/invocation/options.ts";

describe("key=value", () => {
  it("is split at the first sign of equality, whatever follows", () => {
    const key = fc.string({ minLength: 1 }).filter((text) => !text.includes("="));
    fc.assert(
      fc.property(key, fc.string(), (name, value) => {
        expect(Object.entries(keyValue(`${name}=${value}`))).toEqual([[name, value]]);
      }),
      {
        examples: [
          ["a", "b=c\nd"],
          ["__proto__", ""],
        ],
      },
    );
  });

  it("adds up, in order", () => {
    expect(keyValue("b=", keyValue("a=1"))).toEqual({ a: "1", b: "" });
  });

  it.each(["", "a", "=b"])("is not %j", (text) => {
    expect(() => keyValue(text)).toThrow(InvalidArgumentError);
  });
});

describe("a count", () => {
  it.each(["", "-1", "1.5", "1e3", " 1", "0x10"])("is not %j", (text) => {
    expect(() => count(text)).toThrow(InvalidArgumentError);
  });
});

it("what a host reserves is a field only where something is said of it", () => {
  expect(hostReservedOf({})).toBeUndefined();
  expect(hostReservedOf({ hostReservedEnd: 0 })).toMatchObject({ end: 0 });
});
