import { expect, it } from "vitest";
import { targetOf } from "../../cdk/rollback-target.ts";

const DEPLOYED_MS = 1_000;

/** A function whose versions 1, 2, … were published at these times. */
const published = (live: number, ...timesMs: readonly number[]) => ({
  live: String(live),
  revision: "r",
  versions: timesMs.map((modifiedMs, i) => ({ version: String(i + 1), modifiedMs })),
});

it("a function goes back to the newest version from before the last deployment", () => {
  expect(targetOf(published(3, 100, 200, 1_001), DEPLOYED_MS)).toBe("2");
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
  expect(targetOf(published(11, ...times), DEPLOYED_MS)).toBe("10");
});
