import { describe, expect, it } from "vitest";
import { ciliumViolations } from "../../src/invariants/cilium-invariants.ts";
import type { CiliumEntry, CiliumReport } from "../../src/nouns/cilium/report.ts";
import type { Tombstone } from "../../src/nouns/node/tombstone.ts";
import { contentsOf } from "../../src/store/contents.ts";
import { blockWith, NOW_MS, network, taken } from "../builders.ts";

const OF = { space: "default", name: "node-1", uid: "a", resourceVersion: "1", revision: "r" };

const reportWith = (entry: Partial<CiliumEntry>, changes: Partial<CiliumReport> = {}) =>
  ({
    ...OF,
    mode: "kubernetes",
    withdrawAfterSeconds: 60,
    object: { ipam: {}, status: {} },
    entries: [{ text: "10.0.0.1", state: "listed", isHeld: true, ...entry }],
    excessSinceMs: {},
    seenAtMs: NOW_MS,
    isEnding: false,
    ...changes,
  }) satisfies CiliumReport;

/** Returns what is wrong when a handle has the address 10.0.0.1, and another one the prefix 10.8.0.0/24. */
function found(report: CiliumReport, tombstones: readonly Tombstone[] = []) {
  const { host: _, ...prefix } = blockWith(
    { 0: taken(2, "cilium/node-1/a/mars") },
    { cidr: network("10.8.0.0/24") },
  );
  const blocks = [
    blockWith({ 1: taken(1, "cilium/node-1/a"), 2: taken(3, "web-1") }),
    { ...prefix, whole: true as const },
  ];
  return ciliumViolations({ ...contentsOf([]), blocks, ciliumReports: [report], tombstones });
}

const violated = (text: string, handle = "cilium/node-1/a") => [
  { invariant: "I20", message: `${handle} of default was granted ${text}, and has it not` },
];

describe("I20: what a CiliumNode was granted stays its own until it gives it up", () => {
  it("holds for an address and for a prefix that its uid has", () => {
    expect(found(reportWith({}))).toEqual([]);
    expect(found(reportWith({ text: "10.8.0.0/24", pool: "mars" }))).toEqual([]);
  });

  it.each(["listed", "withdrawn", "marked"] as const)(
    "is violated by one that is %s and that another has, or nobody",
    (state) => {
      expect(found(reportWith({ text: "10.0.0.2", state }))).toEqual(violated("10.0.0.2"));
      expect(found(reportWith({ text: "10.0.0.3", state }))).toEqual(violated("10.0.0.3"));
    },
  );

  it("is violated by a prefix of another pool of Cilium", () => {
    expect(found(reportWith({ text: "10.8.0.0/24", pool: "venus" }))).toEqual(
      violated("10.8.0.0/24", "cilium/node-1/a/venus"),
    );
  });

  it.each(["released", "givenBack"] as const)("says nothing of one that is %s", (state) => {
    expect(found(reportWith({ text: "10.0.0.3", state }))).toEqual([]);
  });

  it("says nothing of one that the object shows and that was not granted", () => {
    expect(found(reportWith({ text: "10.0.0.2", isHeld: false }))).toEqual([]);
  });

  it("says nothing of a node that is being ended", () => {
    const lost = { text: "10.0.0.3" };
    expect(found(reportWith(lost, { isEnding: true }))).toEqual([]);
    const tombstone: Tombstone = {
      ...OF,
      createdAtMs: NOW_MS,
      by: "deleted",
      state: "freeing",
      sinceMs: NOW_MS,
      dueAtMs: NOW_MS,
    };
    expect(found(reportWith(lost), [tombstone])).toEqual([]);
    expect(found(reportWith(lost), [{ ...tombstone, state: "quarantined" }])).toEqual(
      violated("10.0.0.3"),
    );
  });
});
