import { describe, expect, it } from "vitest";
import { interfaceOfApplication } from "../../../src/nouns/pool/application-pools.ts";
import { applicationWith } from "../../builders.ts";

const withInterfaces = (...names: string[]) =>
  applicationWith({
    addresses: {
      number: "1",
      interfaces: names.map((name) => ({ name, pools: ["pool"] })),
      keep: false,
    },
  });

describe("the interface of an application for an interface of its instance", () => {
  it.each([
    ["that of the same name", ["eth0", "net1"], "net1", false, "net1"],
    ["none if the names differ", ["eth0"], "net1", true, undefined],
    ["the only one for a request that names none", ["eth0"], undefined, undefined, "eth0"],
    ["the nameless one for the only one of a request", [""], "eth0", true, ""],
    ["the nameless one for a request that names none", [""], undefined, undefined, ""],
  ] as const)("is %s", (_, names, asked, isOnly, expected) => {
    const found = interfaceOfApplication(withInterfaces(...names), {
      ...(asked !== undefined && { interface: asked }),
      ...(isOnly !== undefined && { isOnly }),
    });
    expect(found).toBe(expected);
  });

  it("is one without addresses if nobody knows which one is meant", () => {
    expect(interfaceOfApplication(withInterfaces("eth0", "net1"), {})).toBe("");
    const several = { interface: "eth0", isOnly: false };
    expect(interfaceOfApplication(withInterfaces(""), several)).toBe("eth0");
  });

  it("is none if the workload has no application, or one without addresses", () => {
    expect(interfaceOfApplication(undefined, {})).toBeUndefined();
    const { addresses: _, ...without } = withInterfaces("eth0");
    expect(interfaceOfApplication(without, {})).toBeUndefined();
  });
});
