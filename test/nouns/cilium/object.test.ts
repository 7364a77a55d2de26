import { describe, expect, it } from "vitest";
import { isPoolOf, poolNameOf } from "../../../src/nouns/cilium/object.ts";

describe("the pool for a network of a pool of Cilium", () => {
  it("has the network in its name, with dashes", () => {
    expect(poolNameOf("mars", "10.10.0.0/16")).toBe("mars.10-10-0-0-16");
    expect(poolNameOf("mars", "fd00:10::/104")).toBe("mars.fd00-10---104");
    expect(poolNameOf("mars.blue", "::ffff:10.0.0.0/112")).toBe("mars.blue.--ffff-10-0-0-0-112");
  });
});

describe("a pool of prefixes", () => {
  it.each([
    ["mars", true],
    ["mars.10-10-0-0-16", true],
    ["mars.fd00-10---104", true],
    ["mars.blue.10-10-0-0-16", false],
    ["mars.blue.", false],
    ["marsrover", false],
    ["venus", false],
  ])("with the name %s is one of Cilium's pool mars: %s", (name, isOne) => {
    expect(isPoolOf("mars", { name })).toBe(isOne);
  });
});
