import { describe, expect, it } from "vitest";
import {
  allocatedOf,
  decideMultiPool,
  missingOf,
  type PoolPrefix,
} from "../../../src/nouns/cilium/multi-pool.ts";
import type { CiliumIpam } from "../../../src/nouns/cilium/object.ts";
import type { CiliumEntry } from "../../../src/nouns/cilium/report.ts";
import { network } from "../../builders.ts";

const A = "10.10.0.0/27";
const B = "10.10.0.32/27";
const V6 = "fd00:10::/120";

const mars = (text: string): PoolPrefix => ({ pool: "mars", cidr: network(text) });
const listed = (text: string, isHeld = true): CiliumEntry => ({
  text,
  pool: "mars",
  state: "listed",
  isHeld,
});

interface Said {
  readonly allocated?: readonly string[];
  readonly earlier?: readonly CiliumEntry[];
  readonly held?: readonly string[];
  readonly requested?: NonNullable<CiliumIpam["pools"]>["requested"];
}

const decide = ({ allocated, earlier = [], held = [], requested = [] }: Said) =>
  decideMultiPool({
    object: {
      ipam: { pools: { requested, ...(allocated && { allocated: ofMars(allocated) }) } },
      status: {},
    },
    earlier: { entries: earlier, excessSinceMs: {} },
    held: held.map(mars),
  });

const ofMars = (cidrs: readonly string[]) => [{ pool: "mars", cidrs }];

describe("a prefix of a node in mode multi-pool", () => {
  it("is remembered once the node lists it", () => {
    expect(decide({ held: [A] }).entries).toEqual([]);
    expect(decide({ held: [A], allocated: [A] }).entries).toEqual([listed(A)]);
  });

  it("stays while no object has listed it, because the node has not seen it yet", () => {
    expect(decide({ held: [A], allocated: [] })).toMatchObject({ entries: [], giveBack: [] });
  });

  it("is given back once the node lists it no more", () => {
    const said = { held: [A, B], earlier: [listed(A), listed(B)], allocated: [B] };
    expect(decide(said)).toMatchObject({
      entries: [listed(B), { ...listed(A), state: "givenBack" }],
      giveBack: [mars(A)],
      take: [],
    });
  });

  it("is given back if the object has no list any more, because an agent leaves out an empty one", () => {
    expect(decide({ held: [A], earlier: [listed(A)] })).toMatchObject({
      entries: [{ ...listed(A), state: "givenBack" }],
      giveBack: [mars(A)],
    });
  });

  it("stays, and is still remembered as listed, if the object requests nothing either: it is new", () => {
    const anew = decideMultiPool({
      object: { ipam: { pools: {} }, status: {} },
      earlier: { entries: [listed(A)], excessSinceMs: {} },
      held: [mars(A)],
    });
    expect(anew).toMatchObject({ entries: [listed(A)], giveBack: [] });
  });

  it("stays if no object has had a list", () => {
    expect(decide({ held: [A] })).toMatchObject({ entries: [], giveBack: [] });
  });

  it("is taken if the node lists it and does not hold it, also if it was given back", () => {
    const earlier: CiliumEntry[] = [{ ...listed(A), state: "givenBack" }];
    expect(decide({ allocated: [A], earlier })).toMatchObject({
      entries: [listed(A, false)],
      take: [mars(A)],
    });
  });

  it("is forgotten once it is given back and free", () => {
    expect(decide({ allocated: [], earlier: [{ ...listed(A), state: "givenBack" }] })).toEqual({
      entries: [],
      excessSinceMs: {},
      giveBack: [],
      take: [],
      demands: [],
    });
  });

  it("stays while the node lists it under another pool, because pods may use it", () => {
    const decision = decideMultiPool({
      object: { ipam: { pools: { allocated: [{ pool: "venus", cidrs: [A] }] } }, status: {} },
      earlier: { entries: [listed(A)], excessSinceMs: {} },
      held: [mars(A)],
    });
    expect(decision.giveBack).toEqual([]);
    expect(decision.entries).toContainEqual(listed(A));
    expect(decision.take).toEqual([{ pool: "venus", cidr: network(A) }]);
  });

  it("may be written in another form, and twice", () => {
    const { entries } = decide({ held: [V6], allocated: ["FD00:10:0::/120", V6] });
    expect(entries).toEqual([listed(V6)]);
  });
});

describe("the needs of a node in mode multi-pool", () => {
  const requested = [
    { pool: "mars", needed: { "ipv4-addrs": 31, "ipv6-addrs": 8 } },
    { pool: "venus" },
  ];

  it("are those of its object, in the families that it has", () => {
    expect(decide({ requested }).demands).toEqual([
      { pool: "mars", family: 4, needed: 31 },
      { pool: "mars", family: 6, needed: 8 },
      { pool: "venus", family: 4, needed: 0 },
      { pool: "venus", family: 6, needed: 0 },
    ]);
    const object = { ipam: { pools: { requested } }, status: {} };
    const earlier = { entries: [], excessSinceMs: {} };
    const { demands } = decideMultiPool({ object, families: [6], earlier, held: [] });
    expect(demands.map(({ family }) => family)).toEqual([6, 6]);
  });

  it.each([
    ["10.10.0.0/27", 30],
    ["10.10.0.0/30", 2],
    ["10.10.0.0/31", 2],
    ["10.10.0.0/32", 1],
    ["fd00::/126", 2],
    ["fd00::/127", 2],
  ])("are met by %s for %d addresses, without its first and last one", (text, usable) => {
    const has = [{ pool: "mars", cidr: network(text) }];
    const { family } = network(text);
    expect(missingOf({ pool: "mars", family, needed: usable }, has)).toBe(0n);
    expect(missingOf({ pool: "mars", family, needed: usable + 1 }, has)).toBe(1n);
    expect(missingOf({ pool: "venus", family, needed: 1 }, has)).toBe(1n);
  });
});

describe("the list of prefixes for a node", () => {
  it("has the pools by name, and IPv4 first", () => {
    const venus = { pool: "venus", cidr: network("10.20.0.0/27") };
    expect(allocatedOf([venus, mars(V6), mars(B), mars(A)])).toEqual([
      { pool: "mars", cidrs: [A, B, V6] },
      { pool: "venus", cidrs: ["10.20.0.0/27"] },
    ]);
  });
});
