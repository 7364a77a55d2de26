import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { ipamBlock } from "../../../src/cli/calico/ipam-block.ts";
import { type BlockRead, blockName } from "../../../src/cli/space/blocks.ts";
import type { HeldAddress } from "../../../src/cli/space/handles.ts";

/** Written by hand from kubectl's output for a small block. Ordinal 12 has been cooling for longer than 13. */
const SAMPLE = `
apiVersion: crd.projectcalico.org/v1
kind: IPAMBlock
metadata:
  name: 10-0-0-8-29
spec:
  affinity: host:node-1
  affinityClaimTime: "2026-03-01T09:00:00Z"
  allocations:
  - 0
  - 1
  - 2
  - 1
  - null
  - null
  - null
  - 0
  attributes:
  - handle_id: windows-reserved-ipam-handle
    secondary:
      note: windows host rsvd
  - handle_id: k8s-pod-network.4bcae222
    secondary:
      namespace: shop
      node: node-1
      pod: web-0
  - alternateOwnerAttrs:
      pod: source
    handle_id: k8s-pod-network.vmi.shop.vm1
    secondary:
      pod: target
  cidr: 10.0.0.8/29
  deleted: false
  sequenceNumber: 1772355605001
  sequenceNumberForAllocation:
    "1": 1772355601000
    "2": 1772355605000
    "3": 1772355601000
  strictAffinity: false
  unallocated:
  - 6
  - 4
  - 5
`;

const NUMBERS = { inUse: 3, hostReserved: 2, reserved: 0, cooling: 2, available: 1, capacity: 8 };

const BLOCK: BlockRead = {
  cidr: "10.0.0.8/29",
  pool: "main",
  host: "node-1",
  affinityType: "host",
  hostReservation: {
    start: 1,
    end: 1,
    handle: "windows-reserved-ipam-handle",
    note: "windows host rsvd",
  },
  ...NUMBERS,
  claimedAt: "2026-03-01T09:00:00.123Z",
  addresses: [
    {
      address: "10.0.0.9",
      state: "assigned",
      handle: "k8s-pod-network.4bcae222",
      assignedAt: "2026-03-01T09:00:01.000Z",
    },
    {
      address: "10.0.0.10",
      state: "assigned",
      handle: "k8s-pod-network.vmi.shop.vm1",
      assignedAt: "2026-03-01T09:00:05.000Z",
    },
    {
      address: "10.0.0.11",
      state: "assigned",
      handle: "k8s-pod-network.4bcae222",
      assignedAt: "2026-03-01T09:00:01.000Z",
    },
    { address: "10.0.0.12", state: "cooling", availableAt: "2026-03-01T09:01:00.000Z" },
    { address: "10.0.0.13", state: "cooling", availableAt: "2026-03-01T09:01:30.000Z" },
  ],
};

const owned = (
  address: string,
  handle: string,
  owner: NonNullable<HeldAddress["owner"]>,
): HeldAddress => ({
  address,
  handle,
  owner,
  family: 4,
  block: "10.0.0.8/29",
  pool: "main",
  state: "assigned",
});

const POD = { pod: "web-0", node: "node-1", namespace: "shop" };

const OWNERS = new Map(
  [
    owned("10.0.0.9", "k8s-pod-network.4bcae222", { active: POD }),
    owned("10.0.0.10", "k8s-pod-network.vmi.shop.vm1", {
      active: { pod: "target" },
      alternate: { pod: "source" },
    }),
    owned("10.0.0.11", "k8s-pod-network.4bcae222", { active: POD }),
  ].map((each) => [each.address, each]),
);

describe("a block in Calico's shape", () => {
  it("is what kubectl prints, to the order of its keys", () => {
    const shape = ipamBlock(BLOCK, OWNERS);
    expect(shape).toEqual(parse(SAMPLE));
    expect(`\n${stringify(shape, { version: "1.1", indentSeq: false })}`).toBe(SAMPLE);
  });

  it("is nobody's without a host: no affinity, and no time of a claim", () => {
    const { host: _, affinityType: __, ...nobodys } = BLOCK;
    const { spec } = ipamBlock(nobodys, OWNERS);
    expect(spec).not.toHaveProperty("affinity");
    expect(spec).not.toHaveProperty("affinityClaimTime");
  });

  it("names a virtual owner as such", () => {
    const { spec } = ipamBlock({ ...BLOCK, host: "lb", affinityType: "virtual" }, OWNERS);
    expect(spec.affinity).toBe("virtual:lb");
  });

  it("tells the handle alone of an address that was somebody else's by the time its handle was read", () => {
    const other = owned("10.0.0.9", "another", { active: { pod: "other" } });
    const { spec } = ipamBlock(BLOCK, new Map([["10.0.0.9", other]]));
    expect(spec.attributes[spec.allocations[1] ?? -1]).toEqual({
      handle_id: "k8s-pod-network.4bcae222",
    });
  });

  it("lists no address as free that is kept for an instance, or held for an application", () => {
    const handle = "workload/shop/StatefulSet/db/0";
    const waiting = [
      { address: "10.0.0.12", state: "kept" as const, handle, assignedAt: BLOCK.claimedAt },
      { address: "10.0.0.13", state: "held" as const },
    ];
    const addresses = [...BLOCK.addresses.slice(0, 3), ...waiting];
    const owner = { active: { pod: "db-0" } };
    const keeper = { ...owned("10.0.0.12", handle, owner), state: "kept" as const };
    const owners = new Map([...OWNERS, [keeper.address, keeper]]);
    const { spec } = ipamBlock({ ...BLOCK, addresses }, owners);
    expect(spec.unallocated).toEqual([6]);
    expect([4, 5].map((n) => spec.attributes[spec.allocations[n] ?? -1])).toEqual([
      { handle_id: handle, secondary: owner.active },
      {},
    ]);
    expect(Object.keys(spec.sequenceNumberForAllocation)).toEqual(["1", "2", "3", "4"]);
  });

  it("counts on from the claim where nothing is assigned, and from when the block fell idle", () => {
    const empty = { ...BLOCK, addresses: [] };
    expect(ipamBlock(empty, new Map()).spec.sequenceNumber).toBe(
      Date.parse("2026-03-01T09:00:00.123Z") + 1,
    );
    const idle = { ...empty, idleSince: "2026-03-01T10:00:00.000Z" };
    expect(ipamBlock(idle, new Map()).spec.sequenceNumber).toBe(
      Date.parse("2026-03-01T10:00:00.000Z") + 1,
    );
  });

  it.each([
    ["10.0.0.0/26", "10-0-0-0-26"],
    ["fd00:10::3:40/122", "fd00-10--3-40-122"],
  ])("of %s is called %s", (cidr, name) => {
    expect(blockName(cidr)).toBe(name);
  });
});

/**
 * Makes a block of a random size of either family, with random ordinals assigned to some handles and others cooling.
 */
const anyBlock = fc
  .record({
    isV4: fc.boolean(),
    bits: fc.integer({ min: 0, max: 6 }),
    start: fc.integer({ min: 0, max: 3 }),
    end: fc.integer({ min: 0, max: 3 }),
    states: fc.array(fc.constantFrom("free", "assigned", "cooling"), {
      minLength: 64,
      maxLength: 64,
    }),
    handles: fc.array(fc.constantFrom("a", "b", "c"), { minLength: 64, maxLength: 64 }),
  })
  .map(({ isV4, bits, start, end, states, handles }) => {
    const size = 2 ** bits;
    const reserved = start + end < size ? { start, end } : { start: 0, end: 0 };
    const isHeld = (ordinal: number) => ordinal < reserved.start || ordinal >= size - reserved.end;
    const ordinals = [...new Array(size).keys()].filter(
      (ordinal) => states[ordinal] !== "free" && !isHeld(ordinal),
    );
    return {
      size,
      handleAt: new Map(
        ordinals.flatMap((ordinal) =>
          states[ordinal] === "assigned" ? [[ordinal, handles[ordinal]] as const] : [],
        ),
      ),
      cooling: ordinals.filter((ordinal) => states[ordinal] === "cooling"),
      held: [...new Array(size).keys()].filter(isHeld),
      block: {
        ...BLOCK,
        cidr: isV4 ? `10.0.1.0/${32 - bits}` : `fd00::100/${128 - bits}`,
        hostReservation: { ...reserved, handle: "w" },
        addresses: ordinals.map((ordinal) => ({
          address: isV4 ? `10.0.1.${ordinal}` : `fd00::${(0x100 + ordinal).toString(16)}`,
          ...(states[ordinal] === "assigned"
            ? {
                state: "assigned" as const,
                handle: handles[ordinal] as string,
                assignedAt: `2026-03-01T09:00:${String(ordinal % 60).padStart(2, "0")}.000Z`,
              }
            : {
                state: "cooling" as const,
                availableAt: `2026-03-01T10:00:${String(59 - (ordinal % 60)).padStart(2, "0")}.000Z`,
              }),
        })),
      } satisfies BlockRead,
    };
  });

describe("whatever stands in a block", () => {
  it("each ordinal is allocated or unallocated, and never both", () => {
    fc.assert(
      fc.property(anyBlock, ({ block, size }) => {
        const { allocations, unallocated } = ipamBlock(block, new Map()).spec;
        expect(allocations).toHaveLength(size);
        const free = allocations.flatMap((index, ordinal) => (index === null ? [ordinal] : []));
        expect(unallocated.toSorted((a, b) => a - b)).toEqual(free);
      }),
    );
  });

  it("an ordinal leads to the handle that has the address, and no attribute is there twice or for nobody", () => {
    fc.assert(
      fc.property(anyBlock, ({ block, handleAt, held }) => {
        const { allocations, attributes } = ipamBlock(block, new Map()).spec;
        const found = new Map(
          allocations.flatMap((index, ordinal) =>
            index === null ? [] : [[ordinal, attributes[index]?.handle_id] as const],
          ),
        );
        const wanted = [...handleAt, ...held.map((ordinal) => [ordinal, "w"] as const)];
        expect(found).toEqual(new Map(wanted.toSorted(([a], [b]) => a - b)));
        expect(new Set(attributes.map((each) => JSON.stringify(each))).size).toBe(
          attributes.length,
        );
        expect(new Set(allocations.filter((index) => index !== null)).size).toBe(attributes.length);
      }),
    );
  });

  it("the sequence number of the block is above that of every allocation, and all are exact in JSON", () => {
    fc.assert(
      fc.property(anyBlock, ({ block, handleAt }) => {
        const { sequenceNumber, sequenceNumberForAllocation } = ipamBlock(block, new Map()).spec;
        expect(Object.keys(sequenceNumberForAllocation).map(Number)).toEqual([...handleAt.keys()]);
        for (const each of Object.values(sequenceNumberForAllocation))
          expect(each).toBeLessThan(sequenceNumber);
        expect(Number.isSafeInteger(sequenceNumber)).toBe(true);
      }),
    );
  });

  it("what cools comes last, and what cools longest comes last of all", () => {
    fc.assert(
      fc.property(anyBlock, ({ block, cooling }) => {
        const { unallocated } = ipamBlock(block, new Map()).spec;
        const last = unallocated.slice(unallocated.length - cooling.length);
        const addresses: BlockRead["addresses"] = block.addresses;
        const timeOf = (ordinal: number) =>
          addresses.find(({ address }) => ordinalOf(address) === ordinal)?.availableAt ?? "";
        expect(last.toSorted((a, b) => a - b)).toEqual(cooling);
        expect(last.map(timeOf)).toEqual(last.map(timeOf).toSorted());
      }),
    );
  });
});

const ordinalOf = (address: string): number =>
  address.includes(":")
    ? Number.parseInt(address.split(":").at(-1) ?? "", 16) - 0x100
    : Number(address.split(".")[3]);
