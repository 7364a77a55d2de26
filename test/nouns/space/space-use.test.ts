import { expect, it } from "vitest";
import { SPACE_USE_TOLD_MAX } from "../../../src/base/limits.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import { isInUse, spaceInUse, useText } from "../../../src/nouns/space/space-use.ts";

const NONE = { pools: [], applications: [], nodes: [] };

it("a space without pools, applications and nodes is not in use", () => {
  expect(isInUse(NONE)).toBe(false);
  expect(isInUse({ ...NONE, applications: ["shop/Deployment/web"] })).toBe(true);
});

it("a space in use is rejected with the first names of each kind that it has", () => {
  const use = { ...NONE, pools: ["a", "b"], nodes: ["n1"] };
  expect(spaceInUse("blue", use, { arePoolsGoing: true })).toEqual(
    new Rejection(
      "space_in_use",
      "Space blue has pools a, b; nodes n1; delete what is in it first.",
      { contents: { pools: ["a", "b"], nodes: ["n1"] } },
    ),
  );
});

it("more names than it may tell are others", () => {
  const pools = Array.from({ length: SPACE_USE_TOLD_MAX + 1 }, (_, n) => `p${n}`);
  expect(useText({ ...NONE, pools })).toBe(
    "pools p0, p1, p2, p3, p4, p5, p6, p7, p8, p9 and others",
  );
  const { members } = spaceInUse("blue", { ...NONE, pools }, { arePoolsGoing: false });
  expect(members.contents).toEqual({ pools: pools.slice(0, SPACE_USE_TOLD_MAX) });
});
