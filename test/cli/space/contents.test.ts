import { describe, expect, it } from "vitest";
import { assignedIn } from "../../../src/cli/space/contents.ts";
import { type Contents, joinedContents } from "../../../src/invariants/contents.ts";
import type { Allocation, Part } from "../../../src/kernel/values/allocation.ts";
import { formatGeneration, generationOf } from "../../../src/kernel/values/generation.ts";
import { address, allocationWith, blockWith, cooling, NOW_MS, taken } from "../../builders.ts";

const contentsOf = (allocation: Allocation, slots = { 3: taken() }): Contents => ({
  ...joinedContents([]),
  blocks: [blockWith(slots)],
  allocations: [allocation],
});

describe("the addresses that are assigned", () => {
  it("come with their owners, and the generation that a read would tell", () => {
    const allocation = allocationWith({ attributes: { pod: "web-1" } });
    expect(assignedIn(contentsOf(allocation))).toEqual([
      {
        address: "10.0.0.3",
        generation: formatGeneration(
          generationOf(allocation, allocation.parts[0] as Part, address("10.0.0.3")),
        ),
        handle: "web-1",
        host: "node-1",
        affinityType: "host",
        pool: "pool",
        block: "10.0.0.0/29",
        borrowed: false,
        assignedAtMs: NOW_MS,
        owner: { active: { pod: "web-1" } },
        together: false,
        limited: false,
      },
    ]);
  });

  it("have the owners that somebody has given them since, each its own", () => {
    const owners = new Map([["10.0.0.3", { alternate: { pod: "web-2" } }]]);
    const allocation = allocationWith({ attributes: { collect: "together" }, owners });
    expect(assignedIn(contentsOf(allocation))).toMatchObject([
      { owner: { alternate: { pod: "web-2" } }, together: true },
    ]);
  });

  it("are limited where a quota slot of their handle has them, and only those", () => {
    const quotaSlot = { family: 4, number: 0, revision: "r" } as const;
    const limitedBy = (quotaSlots: Allocation["quotaSlots"]) =>
      assignedIn(contentsOf(allocationWith({ quotaSlots }))).map(({ limited }) => limited);
    expect(limitedBy([{ ...quotaSlot, address: "10.0.0.3" }])).toEqual([true]);
    expect(limitedBy([{ ...quotaSlot, address: "10.0.0.4" }])).toEqual([false]);
    expect(limitedBy([quotaSlot])).toEqual([false]);
  });

  it("have the interface that their request named", () => {
    const { parts } = allocationWith();
    const ofNet1 = allocationWith({ parts: parts.map((part) => ({ ...part, interface: "net1" })) });
    expect(assignedIn(contentsOf(ofNet1))).toMatchObject([{ interface: "net1" }]);
  });

  it("are borrowed where the block is another's, or nobody's", () => {
    const allocation = allocationWith({ host: "virtual:lb" });
    expect(assignedIn(contentsOf(allocation))).toMatchObject([
      { host: "lb", affinityType: "virtual", borrowed: true },
    ]);
  });

  it.each<[string, Contents]>([
    ["no allocation", { ...contentsOf(allocationWith()), allocations: [] }],
    ["a request that was not answered", contentsOf(allocationWith({ state: "pending" }))],
    ["another's allocation", contentsOf(allocationWith({ parts: [] }))],
    ["cooling", contentsOf(allocationWith(), { 3: cooling(NOW_MS) })],
  ])("are none of %s", (_, contents) => {
    expect(assignedIn(contents)).toEqual([]);
  });
});
