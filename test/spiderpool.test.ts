import { expect, it } from "vitest";
import { isThere, nameOf, rowsOfPage, testsOfPage } from "./named-tests.ts";

const PAGE = "docs/spiderpool.md";

it("each rule of Spiderpool, and each difference, is shown by a test", () => {
  const rows = [...rowsOfPage(PAGE).values()].flat();
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([]);
});

it.each(testsOfPage(PAGE).map((test) => [nameOf(test), test] as const))(
  "%s is there",
  (_, test) => {
    expect(isThere(test)).toBe(true);
  },
);
