import { describe, expect, it } from "vitest";
import { assignedIn } from "../../../src/cli/snapshot/assigned.ts";
import type { AssignmentRecord, Part } from "../../../src/domain/allocation.ts";
import { type Contents, together } from "../../../src/domain/contents.ts";
import { formatGeneration, generationOf } from "../../../src/domain/generation.ts";
import { address, blockWith, cooling, NOW_MS, recordWith, taken } from "../../domain/builders.ts";

const contentsOf = (record: AssignmentRecord, slots = { 3: taken() }): Contents => ({
  ...together([]),
  blocks: [blockWith(slots)],
  records: [record],
});

describe("the addresses that are assigned", () => {
  it("come with their owners, and the generation that a read would tell", () => {
    const record = recordWith({ attributes: { pod: "web-1" } });
    expect(assignedIn(contentsOf(record))).toEqual([
      {
        address: "10.0.0.3",
        generation: formatGeneration(
          generationOf(record, record.parts[0] as Part, address("10.0.0.3")),
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
    const record = recordWith({ attributes: { collect: "together" }, owners });
    expect(assignedIn(contentsOf(record))).toMatchObject([
      { owner: { alternate: { pod: "web-2" } }, together: true },
    ]);
  });

  it("are limited where a seat of their handle has them, and only those", () => {
    const seat = { family: 4, number: 0, revision: "r" } as const;
    const limitedBy = (seats: AssignmentRecord["seats"]) =>
      assignedIn(contentsOf(recordWith({ seats }))).map(({ limited }) => limited);
    expect(limitedBy([{ ...seat, address: "10.0.0.3" }])).toEqual([true]);
    expect(limitedBy([{ ...seat, address: "10.0.0.4" }])).toEqual([false]);
    expect(limitedBy([seat])).toEqual([false]);
  });

  it("are borrowed where the block is another's, or nobody's", () => {
    const record = recordWith({ host: "virtual:lb" });
    expect(assignedIn(contentsOf(record))).toMatchObject([
      { host: "lb", affinityType: "virtual", borrowed: true },
    ]);
  });

  it.each<[string, Contents]>([
    ["no record", { ...contentsOf(recordWith()), records: [] }],
    ["a request that was not answered", contentsOf(recordWith({ state: "open" }))],
    ["another's record", contentsOf(recordWith({ parts: [] }))],
    ["cooling", contentsOf(recordWith(), { 3: cooling(NOW_MS) })],
  ])("are none of %s", (_, contents) => {
    expect(assignedIn(contents)).toEqual([]);
  });
});
