import { expect, it } from "vitest";
import { watchClauses } from "../clauses/met.ts";
import { REJECTIONS } from "./report.ts";
import { simulate } from "./run.ts";

const RUNS = 50;

/** The rejections that none of these runs meets, each with the seed of a run that does. */
const MET_BY: Readonly<Record<string, number>> = {
  address_quarantined: 219,
  pool_forbidden: 122,
  prefix_in_use: 68,
  space_in_use: 106,
};

it(`${RUNS} simulated runs with faults at every call: no address is given twice, none is lost, none leaks, and docs/protocol.md lists every clause that they come by`, async () => {
  const met = watchClauses();
  const answers = new Set<string>();
  for (let seed = 1; seed <= RUNS; seed++) {
    const { violations, seen } = await simulate({ seed });
    expect(violations, `seed ${seed}`).toEqual([]);
    for (const [what] of seen) answers.add(what);
  }
  met.end();
  const unmet = REJECTIONS.filter((code) => !answers.has(`answer: ${code}`));
  expect(unmet.toSorted()).toEqual(Object.keys(MET_BY).toSorted());
});

it.each(Object.entries(MET_BY))(
  "a simulated run meets the rejection %s (seed %i)",
  async (code, seed) => {
    const { violations, seen } = await simulate({ seed });
    expect(violations).toEqual([]);
    expect([...seen.keys()]).toContain(`answer: ${code}`);
  },
);
