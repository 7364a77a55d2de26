import { describe, expect, it } from "vitest";
import {
  type AnnotationItem,
  isOfSubnets,
  itemsOfInterfaces,
  POOL_ANNOTATIONS,
  type PoolAnnotationKey,
} from "../../src/selection/spiderpool-annotations.ts";

const item = (pool: string, name?: string): AnnotationItem => ({
  ...(name !== undefined && { interface: name }),
  pools: { 4: [pool], 6: [] },
  cleanGateway: false,
});

/** The pools of each interface, or the problem. */
function poolsOf(items: AnnotationItem[], interfaces: string[], key: PoolAnnotationKey = IPPOOLS) {
  const read = itemsOfInterfaces({ key, items }, interfaces);
  return read.ok ? read.value.map(({ pools }) => pools[4][0]) : read.problem;
}

const IPPOOLS = "ipam.spidernet.io/ippools";

describe("the items of an annotation", () => {
  it("belong to the interfaces that they name, in any order", () => {
    const items = [item("a", "eth0"), item("b", "net1")];
    expect(poolsOf(items, ["eth0", "net1"])).toEqual(["a", "b"]);
    expect(poolsOf(items, ["net1", "eth0"])).toEqual(["b", "a"]);
  });

  it("may name interfaces that another request asks for", () => {
    expect(poolsOf([item("a", "eth0"), item("b", "net1")], ["net1"])).toEqual(["b"]);
  });

  it("belong to the interfaces by their position if they name none", () => {
    expect(poolsOf([item("a"), item("b")], ["eth0", "net1"])).toEqual(["a", "b"]);
    expect(poolsOf([item("a")], ["net1"])).toEqual(["a"]);
  });

  it.each<[string, AnnotationItem[], string]>([
    [
      "an item of an interface is missing",
      [item("a", "eth0")],
      "has no item for the interface net1",
    ],
    [
      "an interface is named twice",
      [item("a", "eth0"), item("b", "net1"), item("c", "net1")],
      "has two items for the interface net1",
    ],
    [
      "there are fewer of them without a name",
      [item("a")],
      "has one item without an interface for the 2 of the request",
    ],
    [
      "there are more of them without a name",
      [item("a"), item("b"), item("c")],
      "has 3 items without an interface for the 2 of the request",
    ],
  ])("are rejected if %s", (_, items, problem) => {
    expect(poolsOf(items, ["eth0", "net1"])).toContain(problem);
  });

  it("name their interface all or not at all", () => {
    expect(poolsOf([item("a", "eth0"), item("b")], ["eth0"])).toBe(
      "must have an interface in each of its items or in none",
    );
  });

  it("are one for all interfaces in the singular", () => {
    const interfaces = ["eth0", "net1"];
    expect(poolsOf([item("a")], interfaces, "ipam.spidernet.io/ippool")).toEqual(["a", "a"]);
    expect(poolsOf([item("a")], interfaces, "ipam.spidernet.io/subnet")).toEqual(["a", "a"]);
  });
});

describe("annotations", () => {
  it("of subnets come before those of pools, and plural ones before singular ones", () => {
    expect(POOL_ANNOTATIONS.map((key) => [key.split("/")[1], isOfSubnets(key)])).toEqual([
      ["subnets", true],
      ["subnet", true],
      ["ippools", false],
      ["ippool", false],
    ]);
  });
});
