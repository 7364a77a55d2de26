import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { nameOf, rowsOfPage } from "./named-tests.ts";

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

const tables = rowsOfPage();
const methods = tables.get("") ?? [];
const tests = [...tables.values()].flat().flatMap((affinity) => affinity.tests);

it("the page has every method of Calico's IPAM client, in its order", () => {
  expect(methods.map(({ groups }) => groups.slice(0, 2))).toEqual(
    METHODS.map((name, i) => [String(i + 1), name]),
  );
});

it("each method is shown by a test", () => {
  const untested = methods.filter((affinity) => affinity.tests.length === 0);
  expect(untested.map(({ groups }) => groups[1])).toEqual([]);
});

/** Reads the source only. The report of the run shows whether the tests passed (`passed.ts`). */
it.each(tests.map((test) => [nameOf(test), test] as const))("%s is there", (_, { file, path }) => {
  expect(existsSync(file)).toBe(true);
  const source = readFileSync(file, "utf8");
  // Searches each title after the title of its suite.
  let from = 0;
  for (const [i, title] of path.entries()) {
    const opening = i < path.length - 1 ? "describe(" : "it(";
    const at = source.indexOf(`${opening}${JSON.stringify(title)}, `, from);
    expect(at, `${opening}${JSON.stringify(title)}`).toBeGreaterThanOrEqual(from);
    from = at + 1;
  }
});
