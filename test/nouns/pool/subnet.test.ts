import { describe, expect, it } from "vitest";
import { formatSet } from "../../../src/net/address-set.ts";
import type { SpaceConfiguration } from "../../../src/nouns/pool/configuration.ts";
import { poolOver, poolWithAddress } from "../../../src/nouns/pool/of-address.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import { hasAddress, openSetOf, reservedFor } from "../../../src/nouns/pool/set.ts";
import {
  cooldownMsOfSubnet,
  isShared,
  onePerSubnet,
  poolsOfSubnet,
  walkOrder,
} from "../../../src/nouns/pool/subnet.ts";
import { SETTINGS_DEFAULT } from "../../../src/nouns/settings/settings.ts";
import { address, intervals, network, poolWith } from "../../builders.ts";

const ranged = (name: string, ranges: string[], changes: Partial<Pool> = {}): Pool =>
  poolWith({ name, id: name, subnetId: "blue", ranges: intervals(...ranges), ...changes });
const RED = ranged("red", ["10.0.0.0-10.0.0.9"], { excludes: intervals("10.0.0.4") });
const BLUE = ranged("blue", ["10.0.0.10-10.0.0.19"], { cooldownSeconds: 600 });
const PLAIN = poolWith({ name: "plain", id: "plain", cidr: network("10.1.0.0/24") });
const configurationOf = (pools: readonly Pool[], reserved = intervals()) =>
  ({
    pools,
    unreadablePools: [],
    reserved,
    settings: { ...SETTINGS_DEFAULT, cooldownSeconds: 30 },
  }) as unknown as SpaceConfiguration;
const ALL = configurationOf([RED, PLAIN, BLUE]);

describe("the set of a pool", () => {
  it("is its ranges without its excludes, and else all of its CIDR", () => {
    expect(hasAddress(RED, address("10.0.0.3"))).toBe(true);
    expect(hasAddress(RED, address("10.0.0.4"))).toBe(false);
    expect(hasAddress(PLAIN, address("10.1.0.4"))).toBe(true);
  });

  it("counts all outside of it as reserved, beside reservations", () => {
    const configuration = configurationOf([RED], intervals("10.0.0.8-10.0.0.12"));
    expect(formatSet(openSetOf(RED, configuration))).toEqual([
      "10.0.0.0-10.0.0.3",
      "10.0.0.5-10.0.0.7",
    ]);
    expect(formatSet(reservedFor(RED, configuration))).toEqual([
      "10.0.0.4",
      "10.0.0.8-10.0.255.255",
    ]);
    expect(reservedFor(PLAIN, configuration)).toBe(configuration.reserved);
  });

  it("decides which pool an address is of; the block size is that of any pool around", () => {
    expect(poolWithAddress(ALL, address("10.0.0.3"))?.name).toBe("red");
    expect(poolWithAddress(ALL, address("10.0.0.12"))?.name).toBe("blue");
    expect(poolWithAddress(ALL, address("10.0.0.99"))).toBe(undefined);
    expect(poolOver(ALL, address("10.0.0.99"))?.name).toBe("red");
    expect(poolOver(ALL, address("10.2.0.0"))).toBe(undefined);
  });
});

describe("a subnet", () => {
  it("has the ranged pools that name it; any other pool is alone", () => {
    const names = (id: string) => poolsOfSubnet(ALL, id).map(({ name }) => name);
    expect(names("blue")).toEqual(["blue", "red"]);
    expect(names("plain")).toEqual(["plain"]);
    expect(["blue", "plain", "gone"].map((poolId) => isShared(ALL, { poolId }))).toEqual([
      ...[true, false, false],
    ]);
    expect(onePerSubnet(ALL.pools).map(({ name }) => name)).toEqual(["blue", "plain"]);
  });

  it("keeps its place in a walk, whichever of its pools exist", () => {
    const walk = (pools: readonly Pool[], from?: string) =>
      walkOrder(pools, { from }).map(({ pool }) => pool.name);
    expect(walk([PLAIN, RED])).toEqual(["plain", "red"]);
    const [, { place } = { place: "" }] = walkOrder([PLAIN, RED], {});
    expect(walk([PLAIN, RED, BLUE], place)).toEqual(["blue"]);
    expect(walk([PLAIN], place)).toEqual([]);
    expect(walk([PLAIN, RED, BLUE], PLAIN.name)).toEqual(["plain", "blue"]);
    expect(walkOrder([PLAIN, RED, BLUE], { only: "red" })).toEqual([{ pool: RED, place: "red" }]);
  });

  it("keeps a block as long as the longest cooldown of its pools", () => {
    expect(cooldownMsOfSubnet(ALL, "blue")).toBe(600_000);
    expect(cooldownMsOfSubnet(ALL, "plain")).toBe(30_000);
    const unread = {
      ...ALL,
      unreadablePools: [{ name: "green" }],
    } as unknown as SpaceConfiguration;
    expect(cooldownMsOfSubnet(unread, "blue")).toBe(1_200_000);
  });
});
