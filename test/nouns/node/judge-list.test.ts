import { describe, expect, it } from "vitest";
import { judgeList, type ListedNode } from "../../../src/nouns/node/judge-list.ts";
import type { NodeReport } from "../../../src/nouns/node/node-report.ts";

const report = (name: string, said: Partial<NodeReport> = {}): NodeReport => ({
  space: "default",
  name,
  uid: `uid-of-${name}`,
  resourceVersion: "90",
  createdAtMs: 1,
  cluster: "c",
  podCidrs: [],
  conditions: [],
  isUnschedulable: false,
  zone: "",
  isExcluded: false,
  seenAtMs: 1,
  annotations: [],
  isRegistering: false,
  revision: "r",
  ...said,
});

const listed = (name: string, said: Partial<ListedNode> = {}): ListedNode => ({
  name,
  uid: `uid-of-${name}`,
  podCidrs: [],
  ...said,
});

const QUARANTINE_MS = 40_000;

/** Judges a list of version 100. */
const judged = (
  reports: readonly NodeReport[],
  nodes: readonly ListedNode[],
  { nowMs = 1_000_000, percentMax = 55 } = {},
) => {
  const list = { cluster: "c", resourceVersion: "100", nodes };
  const limits = { nowMs, quarantineMs: QUARANTINE_MS, percentMax };
  const verdict = judgeList(reports, list, limits);
  return Object.fromEntries(
    Object.entries(verdict).map(([what, nodes]) => [
      what,
      nodes.map((node: NodeReport | string) => (typeof node === "string" ? node : node.name)),
    ]),
  );
};

const NOTHING = { ended: [], marked: [], waiting: [], back: [], unknown: [] };
const there = [report("a"), report("b"), report("d")];
const allOfThem = [listed("a"), listed("b"), listed("d")];

describe("a complete list", () => {
  it("has no consequence for nodes that Plat knows as it has them", () => {
    expect(judged(there, allOfThem)).toEqual(NOTHING);
  });

  it("marks a node that it lacks, unless the node spoke at its version or later", () => {
    expect(judged([...there, report("x")], allOfThem)).toEqual({ ...NOTHING, marked: ["x"] });
    for (const resourceVersion of ["100", "101"])
      expect(judged([...there, report("x", { resourceVersion })], allOfThem)).toEqual(NOTHING);
  });

  it("compares versions as numbers", () => {
    const old = report("x", { resourceVersion: "9" });
    expect(judged([...there, old], allOfThem)).toEqual({ ...NOTHING, marked: ["x"] });
  });

  it("ends a node that an earlier list lacked, after the quarantine", () => {
    const since = (sinceMs: number, resourceVersion = "95") =>
      report("x", { missing: { sinceMs, resourceVersion } });
    const at = (node: NodeReport) => judged([...there, node], allOfThem, { nowMs: 100_000 });
    expect(at(since(60_000))).toEqual({ ...NOTHING, ended: ["x"] });
    expect(at(since(60_001))).toEqual({ ...NOTHING, waiting: ["x"] });
    // The same list again, however late, is no second one.
    expect(at(since(0, "100"))).toEqual({ ...NOTHING, waiting: ["x"] });
  });

  it("removes the mark of a node that it has, but not for another object of the name", () => {
    const missing = { sinceMs: 0, resourceVersion: "95" };
    const marked = [report("a", { missing }), report("b"), report("d")];
    expect(judged(marked, allOfThem)).toEqual({ ...NOTHING, back: ["a"] });
    const another = [listed("a", { uid: "new" }), listed("b"), listed("d")];
    expect(judged(marked, another)).toEqual({ ...NOTHING, unknown: ["a"] });
  });

  it("says nothing about nodes of other clusters, or of none", () => {
    const { cluster: _, ...unnamed } = report("y");
    const others = [report("x", { cluster: "other" }), unnamed];
    expect(judged([...there, ...others], allOfThem)).toEqual(NOTHING);
  });

  it("asks for the events of nodes that Plat does not know as it has them", () => {
    const { cluster: _, ...unnamed } = report("unnamed");
    const reports = [
      ...there,
      report("uid", { uid: "old" }),
      report("range", { podCidrs: ["10.1.0.0/24"] }),
      report("later", { podCidrs: ["10.2.0.0/24"], resourceVersion: "101" }),
      report("foreign", { cluster: "other" }),
      unnamed,
    ];
    const names = ["new", "uid", "range", "later", "foreign", "unnamed"];
    expect(judged(reports, [...allOfThem, ...names.map((name) => listed(name))])).toEqual({
      ...NOTHING,
      unknown: ["new", "uid", "range", "foreign", "unnamed"],
    });
  });

  it("has no consequence if it lacks too many nodes, or all of them", () => {
    const gone = ["u", "v", "w"].map((name) => report(name));
    const two = allOfThem.slice(0, 2);
    expect(judged([...there.slice(0, 2), ...gone], two)).toEqual({ missing: ["u", "v", "w"] });
    expect(judged([...there, ...gone], allOfThem)).toMatchObject({ marked: ["u", "v", "w"] });
    expect(judged([report("a")], [])).toEqual({ missing: ["a"] });
    expect(judged([report("a")], [], { percentMax: 100 })).toMatchObject({ marked: ["a"] });
    expect(judged([], [])).toEqual(NOTHING);
  });
});
