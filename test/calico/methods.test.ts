import { expect, it } from "vitest";
import { isThere, nameOf, rowsOfPage, testsOfPage } from "../named-tests.ts";

const PAGE = "docs/calico.md";

const METHODS = [
  "AutoAssign",
  "AssignIP",
  "ReleaseIPs",
  "GetAssignmentAttributes",
  "IPsByHandle",
  "ReleaseByHandle",
  "ClaimAffinity",
  "ReleaseAffinity",
  "ReleaseHostAffinities",
  "ReleasePoolAffinities",
  "ReleaseBlockAffinity",
  "GetIPAMConfig",
  "SetIPAMConfig",
  "RemoveIPAMHost",
  "GetUtilization",
  "EnsureBlock",
  "UpgradeHost",
  "GarbageCollectColdIPs",
  "SetOwnerAttributes",
];

const tables = rowsOfPage(PAGE);
const methods = tables.get("") ?? [];

it("the page has every method of Calico's IPAM client, in its order", () => {
  expect(methods.map(({ groups }) => groups.slice(0, 2))).toEqual(
    METHODS.map((name, i) => [String(i + 1), name]),
  );
});

it("each method is shown by a test", () => {
  const untested = methods.filter((affinity) => affinity.tests.length === 0);
  expect(untested.map(({ groups }) => groups[1])).toEqual([]);
});

it.each(testsOfPage(PAGE).map((test) => [nameOf(test), test] as const))(
  "%s is there",
  (_, test) => {
    expect(isThere(test)).toBe(true);
  },
);
