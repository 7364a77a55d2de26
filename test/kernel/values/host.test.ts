import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { affinityTypeOf, hostId, hostName } from "../../../src/kernel/values/host.ts";

describe("the id of a host", () => {
  it("carries its type and its name, whatever characters that has", () => {
    fc.assert(
      fc.property(fc.constantFrom("host", "virtual"), fc.string(), (type, name) => {
        expect(hostName(hostId(type, name))).toBe(name);
        expect(affinityTypeOf(hostId(type, name))).toBe(type);
      }),
      {
        examples: [
          ["host", "virtual:node-1"],
          ["virtual", ":"],
          ["host", "fe80::1"],
        ],
      },
    );
  });

  it("is never that of a virtual owner with the same name", () => {
    expect(hostId("virtual", "node-1")).not.toBe(hostId("host", "node-1"));
  });
});
