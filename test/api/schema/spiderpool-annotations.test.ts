import { describe, expect, it } from "vitest";
import { checked, fields } from "../../../src/api/schema/schema.ts";
import { annotations } from "../../../src/api/schema/spiderpool-annotations.ts";
import { rejectedFields } from "../problem-of.ts";

const IPPOOL = "ipam.spidernet.io/ippool";
const IPPOOLS = "ipam.spidernet.io/ippools";

const read = (value: unknown) => checked(fields({ annotations }), { annotations: value });
const rejected = (value: unknown) => rejectedFields(() => read(value));

describe("the annotations of a pod", () => {
  it("name pools for each interface", () => {
    const items = [
      { interface: "eth0", ipv4: ["shop-v4"], ipv6: ["shop-v6"], cleangateway: true },
      { interface: "net1", ipv4: ["storage-a", "storage-b"] },
    ];
    expect(read({ [IPPOOLS]: JSON.stringify(items) })).toEqual({
      annotations: {
        pools: {
          key: IPPOOLS,
          items: [
            { interface: "eth0", pools: { 4: ["shop-v4"], 6: ["shop-v6"] }, cleanGateway: true },
            {
              interface: "net1",
              pools: { 4: ["storage-a", "storage-b"], 6: [] },
              cleanGateway: false,
            },
          ],
        },
      },
    });
  });

  it("name pools for the one interface that Spiderpool configures", () => {
    expect(read({ [IPPOOL]: '{"ipv4": ["shop-v4"]}' })).toEqual({
      annotations: {
        pools: {
          key: IPPOOL,
          items: [{ pools: { 4: ["shop-v4"], 6: [] }, cleanGateway: false }],
        },
      },
    });
  });

  it("name no pools by null, as Go programs write it", () => {
    const items = '[{"ipv4": ["a"], "ipv6": null, "interface": null, "cleangateway": null}]';
    expect(read({ [IPPOOLS]: items })).toMatchObject({
      annotations: { pools: { items: [{ pools: { 4: ["a"], 6: [] }, cleanGateway: false }] } },
    });
    expect(read({ [IPPOOL]: '{"ipv4": null, "ipv6": ["b"]}' })).toMatchObject({
      annotations: { pools: { items: [{ pools: { 4: [], 6: ["b"] } }] } },
    });
  });

  it("have more keys than Plat reads, also in an item", () => {
    const more = { "kubernetes.io/psp": "x", "ipam.spidernet.io/routes": "[" };
    expect(read(more)).toEqual({ annotations: {} });
    expect(read({ ...more, [IPPOOL]: '{"ipv4": ["a"], "interface": 7, "vlan": 0}' })).toMatchObject(
      { annotations: { pools: { items: [{ pools: { 4: ["a"] } }] } } },
    );
  });

  it("count by the first that chooses pools: the others are not read", () => {
    const value = '[{"interface": "eth0", "ipv4": ["a"]}]';
    const keyOf = (...keys: string[]) =>
      read({ [IPPOOL]: "not read", ...Object.fromEntries(keys.map((key) => [key, value])) });
    expect(keyOf(IPPOOLS)).toMatchObject({ annotations: { pools: { key: IPPOOLS } } });
    expect(keyOf(IPPOOLS, "ipam.spidernet.io/subnets")).toMatchObject({
      annotations: { pools: { key: "ipam.spidernet.io/subnets" } },
    });
  });

  it.each<[string, string, unknown, string]>([
    ["nothing", IPPOOL, "", "must be JSON: an"],
    ["a name in place of JSON", IPPOOLS, "shop-v4", "must be JSON: an"],
    ["half of its JSON", IPPOOLS, "[{", "must be JSON: an"],
    ["an object in place of its text", IPPOOL, { ipv4: ["a"] }, "must be a string"],
    ["an array in the singular", IPPOOL, '[{"ipv4": ["a"]}]', "must be an object"],
    ["an object in the plural", IPPOOLS, '{"ipv4": ["a"]}', "must be an array with an item for"],
    ["null", IPPOOL, "null", "must be an object"],
    ["one pool as a text", IPPOOL, '{"ipv4": "a"}', "must be an array of names, CIDRs or patterns"],
    ["a name that no pool has", IPPOOL, '{"ipv4": ["A_b"]}', "must be a DNS name in lower case"],
    ["an empty name", IPPOOL, '{"ipv6": [""]}', "must be a DNS name in lower case"],
    ["a pool twice", IPPOOL, '{"ipv4": ["a", "a"]}', "must name each pool once"],
    ["no item", IPPOOLS, "[]", "must have an item"],
    ["too many items", IPPOOLS, JSON.stringify(Array(65).fill({})), "must have at most 64 items"],
    ["an item without a family", IPPOOLS, '[{"interface": "eth0"}]', "must name a pool in ipv4"],
    ["a text as cleangateway", IPPOOLS, '[{"ipv4": ["a"], "cleangateway": "yes"}]', "must be true"],
    ["a subnet without a name", "ipam.spidernet.io/subnet", "{}", "must name a pool in ipv4"],
  ])("are rejected by the name of the one that has %s", (_, key, value, problem) => {
    expect(rejected({ [key]: value })).toEqual([expect.stringContaining(problem)]);
    expect(rejected({ [key]: value })[0]).toMatch(new RegExp(`^annotations\\.${key}[[.:]`));
  });

  it("that name no pool are an error, not an assignment of nothing", () => {
    for (const value of ["{}", '{"ipv4": []}', '{"ipv4": [], "ipv6": []}'])
      expect(rejected({ [IPPOOL]: value })).toEqual([
        `annotations.${IPPOOL}: must name a pool in ipv4 or in ipv6`,
      ]);
  });

  it("are rejected by the place of the mistake", () => {
    const items = '[{"ipv4": ["a"]}, {"ipv4": ["b", 1], "interface": 2}]';
    expect(rejected({ [IPPOOLS]: items })).toEqual([
      `annotations.${IPPOOLS}[1].ipv4[1]: must be a string`,
      `annotations.${IPPOOLS}[1].interface: must be a string`,
    ]);
  });

  it.each([["x"], [[]], [1], [null]])("are not %j", (value) => {
    expect(rejected(value)).toEqual(["annotations: must be an object of strings"]);
  });
});
