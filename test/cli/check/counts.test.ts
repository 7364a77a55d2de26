import { describe, expect, it } from "vitest";
import { countsOfSpace } from "../../../src/cli/check/counts.ts";
import { assignedIn } from "../../../src/cli/space/contents.ts";
import { joinedContents } from "../../../src/invariants/contents.ts";
import { allocationWith, blockWith, cooling, NOW_MS, taken } from "../../builders.ts";
import { assignedWith } from "./builders.ts";

describe("counts", () => {
  const on = (hosts: Readonly<Record<string, number>>) =>
    Object.entries(hosts).flatMap(([host, count]) =>
      Array.from({ length: count }, () => assignedWith({ host, borrowed: host === "c" })),
    );

  it("say how the addresses are spread over the nodes", () => {
    const { nodes, borrowed } = countsOfSpace(joinedContents([]), on({ a: 1, b: 5, c: 2, d: 2 }));
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
    expect(countsOfSpace(joinedContents([]), on({ a: 1, b: 2 })).nodes.median).toBe(1.5);
    expect(countsOfSpace(joinedContents([]), []).nodes).toEqual({
      count: 0,
      max: 0,
      median: 0,
      top: [],
    });
  });

  it("show the twenty that have most", () => {
    const hosts = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`n${n}`, n + 1]));
    const { count, top, max } = countsOfSpace(joinedContents([]), on(hosts)).nodes;
    expect({ count, max, shown: top.length, last: top.at(-1) }).toEqual({
      count: 25,
      max: 25,
      shown: 20,
      last: { node: "n5", assigned: 6 },
    });
  });

  it("say how many handles have a request that is not over, and what is cooling", () => {
    const released = allocationWith({ handle: "gone", released: new Set(["10.0.0.1"]) });
    const contents = {
      ...joinedContents([]),
      blocks: [blockWith({ 3: taken(), 4: cooling(NOW_MS) })],
      allocations: [allocationWith(), released],
    };
    expect(countsOfSpace(contents, assignedIn(contents))).toMatchObject({
      blocks: 1,
      handles: 1,
      assigned: 1,
      cooling: 1,
    });
  });

  it("call no address of a ranged pool borrowed, although its block has no host", () => {
    const { host: _, ...shared } = blockWith({ 3: taken() });
    const { parts, ...rest } = allocationWith();
    const allocation = { ...rest, parts: parts.map((part) => ({ ...part, pool: "red" })) };
    const contents = { ...joinedContents([]), blocks: [shared], allocations: [allocation] };
    const assigned = assignedIn(contents);
    expect(assigned).toMatchObject([{ pool: "red", borrowed: false }]);
    expect(countsOfSpace(contents, assigned).borrowed).toBe(0);
  });
});
