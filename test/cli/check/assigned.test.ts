import { describe, expect, it } from "vitest";
import { assignedIn } from "../../../src/cli/check/assigned.ts";
import { countsOf } from "../../../src/cli/check/counts.ts";
import { type Contents, together } from "../../../src/domain/contents.ts";
import { formatGeneration, generationOf } from "../../../src/domain/generation.ts";
import type { AssignmentRecord, Part } from "../../../src/domain/record.ts";
import { address, blockWith, cooling, NOW_MS, recordWith, taken } from "../../domain/builders.ts";
import { assignedWith } from "./builders.ts";

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

describe("counts", () => {
  const on = (hosts: Readonly<Record<string, number>>) =>
    Object.entries(hosts).flatMap(([host, count]) =>
      Array.from({ length: count }, () => assignedWith({ host, borrowed: host === "c" })),
    );

  it("say how the addresses are spread over the nodes", () => {
    const { nodes, borrowed } = countsOf(together([]), on({ a: 1, b: 5, c: 2, d: 2 }));
    expect(nodes).toEqual({
      count: 4,
      max: 5,
      median: 2,
      top: [
        { node: "b", assigned: 5 },
        { node: "c", assigned: 2 },
        { node: "d", assigned: 2 },
        { node: "a", assigned: 1 },
      ],
    });
    expect(borrowed).toBe(2);
    expect(countsOf(together([]), on({ a: 1, b: 2 })).nodes.median).toBe(1.5);
    expect(countsOf(together([]), []).nodes).toEqual({ count: 0, max: 0, median: 0, top: [] });
  });

  it("show the twenty that have most", () => {
    const hosts = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`n${n}`, n + 1]));
    const { count, top, max } = countsOf(together([]), on(hosts)).nodes;
    expect({ count, max, shown: top.length, last: top.at(-1) }).toEqual({
      count: 25,
      max: 25,
      shown: 20,
      last: { node: "n5", assigned: 6 },
    });
  });

  it("say how many handles have a request that is not over, and what is cooling", () => {
    const given = recordWith({ handle: "gone", given: new Set(["10.0.0.1"]) });
    const contents = {
      ...contentsOf(recordWith(), { 3: taken(), 4: cooling(NOW_MS) } as never),
      records: [recordWith(), given],
    };
    expect(countsOf(contents, assignedIn(contents))).toMatchObject({
      blocks: 1,
      handles: 1,
      assigned: 1,
      cooling: 1,
    });
  });
});
