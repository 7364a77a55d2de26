import { describe, expect, it } from "vitest";
import { poolOver, poolOverBlock } from "../../../src/nouns/pool/of-address.ts";
import { address, network, poolWith } from "../../builders.ts";

const prefixes = (name: string, cidr: string, blockSize: number, parent?: string) =>
  poolWith({
    name,
    id: name,
    cidr: network(cidr),
    assign: "prefixes",
    blockSize,
    ...(parent !== undefined && { parent, parentId: parent }),
  });
const REGION = prefixes("region", "10.0.0.0/8", 16);
const CLUSTER = prefixes("cluster", "10.7.0.0/16", 20, "region");
const WEB = prefixes("web", "10.7.16.0/20", 26, "cluster");

describe("the pool of an address", () => {
  it.each([
    ["10.8.0.1", "region"],
    ["10.7.0.1", "cluster"],
    ["10.7.16.1", "web"],
    ["10.7.32.1", "cluster"],
  ])("%s is the innermost one, %s", (text, name) => {
    for (const pools of [
      [REGION, CLUSTER, WEB],
      [WEB, CLUSTER, REGION],
    ])
      expect(poolOver({ pools }, address(text))?.name).toBe(name);
  });

  it("is not one whose creation was cut off", () => {
    const pools = [REGION, { ...CLUSTER, state: "pending" as const }];
    expect(poolOver({ pools }, address("10.7.0.1"))?.name).toBe("region");
  });

  it("is one that is being deleted before the one that it is made of", () => {
    const pools = [REGION, { ...CLUSTER, state: "deleting" as const }];
    expect(poolOver({ pools }, address("10.7.0.1"))?.name).toBe("cluster");
  });

  it("of a block follows from its length", () => {
    const pools = [REGION, CLUSTER, WEB];
    for (const [cidr, name] of [
      ["10.7.0.0/16", "region"],
      ["10.7.16.0/20", "cluster"],
      ["10.7.16.0/26", "web"],
      ["10.7.16.0/28", "web"],
    ] as const)
      expect(poolOverBlock({ pools }, network(cidr))?.name).toBe(name);
  });
});
