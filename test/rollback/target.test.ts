import { expect, it } from "vitest";
import {
  type FunctionVersions,
  markOf,
  rollBackOf,
  tablesApart,
  targetOf,
  whyNoneMoved,
} from "../../src/rollback/target.ts";

const DEPLOYED_MS = 1_000;

/** Makes a function whose versions 1, 2, … were published at these times. */
const published = (live: number, ...timesMs: readonly number[]): FunctionVersions => ({
  live: String(live),
  revision: "r",
  versions: timesMs.map((modifiedMs, i) => ({ version: String(i + 1), modifiedMs })),
  rollBacks: [],
});

it("a function goes back to the newest version from before the last deployment", () => {
  expect(targetOf(published(3, 100, 200, 1_001), DEPLOYED_MS)).toEqual({
    version: "2",
    skipped: [],
  });
});

it("a function that the last deployment left as it was stays where it is", () => {
  expect(targetOf(published(2, 100, 200), DEPLOYED_MS)).toBeUndefined();
});

it("a function that went back already stays there", () => {
  expect(targetOf(published(2, 100, 200, 1_001), DEPLOYED_MS)).toBeUndefined();
  expect(targetOf(published(1, 100, 200, 1_001), DEPLOYED_MS)).toBeUndefined();
});

it("a function that the last deployment brought has nothing to go back to", () => {
  expect(targetOf(published(1, 1_001), DEPLOYED_MS)).toBeUndefined();
});

it("versions are ordered by their numbers", () => {
  const times = Array.from({ length: 11 }, (_, i) => (i < 10 ? i : 1_001));
  expect(targetOf(published(11, ...times), DEPLOYED_MS)).toEqual({ version: "10", skipped: [] });
});

it("a version that a roll back left is skipped, and the one before it is gone back to", () => {
  const rollBacks = [{ from: "2", to: "1" }];
  expect(targetOf({ ...published(3, 100, 200, 1_001), rollBacks }, DEPLOYED_MS)).toEqual({
    version: "1",
    skipped: ["2"],
  });
});

it("a roll back over several versions leaves all of them, and one to which another went back stays", () => {
  const rollBacks = [
    { from: "4", to: "2" },
    { from: "5", to: "4" },
  ];
  expect(targetOf({ ...published(6, 1, 2, 3, 4, 5, 1_001), rollBacks }, DEPLOYED_MS)).toEqual({
    version: "2",
    skipped: ["5", "4", "3"],
  });
});

it("a function that went back stays there when a later deployment leaves it as it was", () => {
  const rollBacks = [{ from: "2", to: "1" }];
  expect(targetOf({ ...published(1, 100, 200), rollBacks }, DEPLOYED_MS)).toBeUndefined();
});

it("a version that was put back in force by hand is not skipped while it is live", () => {
  const rollBacks = [{ from: "2", to: "1" }];
  expect(targetOf({ ...published(2, 100, 200), rollBacks }, DEPLOYED_MS)).toBeUndefined();
});

it("the tables of the live version and of the target are told where they differ, as after a restore", () => {
  const { versions, ...rest } = published(3, 100, 200, 1_001);
  const using = (...tables: readonly (string | undefined)[]): FunctionVersions => ({
    ...rest,
    versions: versions.map((version, i) => ({ ...version, table: tables[i] })),
  });
  expect(tablesApart(using("lost", "lost", "restored"), "2")).toEqual({
    live: "restored",
    target: "lost",
  });
  expect(tablesApart(using("lost", "restored", "restored"), "2")).toBeUndefined();
  expect(tablesApart(using(undefined, undefined, "restored"), "2")).toBeUndefined();
  expect(tablesApart(using("lost", "lost", undefined), "2")).toBeUndefined();
});

it("a roll back is read from the name that remembers it, and no other alias is one", () => {
  expect(rollBackOf(markOf({ from: "12", to: "9" }))).toEqual({ from: "12", to: "9" });
  expect(rollBackOf("live")).toBeUndefined();
});

it("it is said why no function moved", () => {
  expect(whyNoneMoved([published(2, 100, 200)], DEPLOYED_MS, false)).toMatch(
    /^The last deployment, of 1970-01-01T00:00:01.000Z, changed no function\..* --before /,
  );
  expect(whyNoneMoved([published(1, 100, 1_001)], DEPLOYED_MS, false)).toMatch(
    /^Every function is/,
  );
  expect(whyNoneMoved([published(1, 100)], DEPLOYED_MS, true)).toMatch(/^Every function is/);
  expect(whyNoneMoved([published(1, 1_001)], DEPLOYED_MS, false)).toMatch(/^No function has/);
});
