import { describe, expect, it } from "vitest";
import { reservedBy } from "../../src/nouns/pool/configuration.ts";
import { isShut, whyShut } from "../../src/selection/closed-by-reservations.ts";
import { address, intervals, network, poolWith } from "../builders.ts";

const pool = poolWith({ cidr: network("10.0.0.0/24") });
const ADDRESS = address("10.0.0.1");
const reservation = (name: string, ...cidrs: string[]) => ({
  space: "default",
  name,
  cidrs,
  intervals: intervals(...cidrs),
  revision: "revision",
});
const configurationOf = (...reservations: ReturnType<typeof reservation>[]) => ({
  pools: [pool],
  reservations,
  reserved: reservedBy(reservations, [pool]),
});

describe("a pool is shut", () => {
  it.each([
    [["10.0.0.0/24"], true],
    [["10.0.0.0-10.0.0.99", "10.0.0.100/30", "10.0.0.104-10.0.1.9"], true],
    [["10.0.0.0-10.0.0.99", "10.0.0.101-10.0.0.255"], false],
    [["10.0.0.0/25", "::/0"], false],
    [[], false],
  ])("by %j: %s", (cidrs, expected) => {
    expect(isShut(pool, configurationOf(...cidrs.map((cidr) => reservation("r", cidr))))).toBe(
      expected,
    );
  });

  it.each([
    [["10.0.0.128/25"], false],
    [["10.0.0.63-10.0.0.64", "10.0.0.130", "10.0.0.192"], true],
    [["10.0.0.63-10.0.0.64", "10.0.0.130"], false],
    [["::/0"], false],
  ])("if it assigns prefixes, by an address of each of them in %j: %s", (cidrs, expected) => {
    const configuration = configurationOf(...cidrs.map((cidr) => reservation("r", cidr)));
    expect(isShut({ ...pool, assign: "prefixes", blockSize: 26 }, configuration)).toBe(expected);
  });

  it("by the reservations that have addresses of it, of which the first few are named", () => {
    const many = Array.from({ length: 10 }, (_, n) => reservation(`r${n}`, "10.0.0.0/24"));
    const elsewhere = reservation("elsewhere", "10.9.0.0/24");
    expect(whyShut(pool, configurationOf(elsewhere, ...many.slice(0, 1)))).toEqual({
      code: "reserved",
      reason: "is covered as a whole by reservation r0",
    });
    expect(whyShut(pool, configurationOf(elsewhere, ...many)).reason).toBe(
      "is covered as a whole by reservations r0, r1, r2, r3, r4, r5, r6, r7 and 2 more",
    );
  });

  it("by a reservation and what its network keeps out", () => {
    const small = poolWith({ cidr: network("10.0.0.0/30"), kind: "subnet", gateway: ADDRESS });
    const r0 = reservation("r0", "10.0.0.2");
    const configuration = {
      pools: [small],
      reservations: [r0],
      reserved: reservedBy([r0], [small]),
    };
    expect(isShut(small, configuration)).toBe(true);
    expect(whyShut(small, configuration).reason).toBe(
      "is covered as a whole by reservation r0 and what networks keep out",
    );
  });
});
