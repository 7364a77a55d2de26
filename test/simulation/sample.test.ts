import { expect, it } from "vitest";
import { watchClauses } from "../clauses/met.ts";
import { MET_BY, SAMPLE_RUNS } from "./noticed.ts";
import { REJECTIONS } from "./report.ts";
import { simulate } from "./run.ts";

it(`${SAMPLE_RUNS} simulated runs with faults at every call: no address is given twice, none is lost, none leaks, and docs/protocol.md lists every clause that they come by`, async () => {
  const met = watchClauses();
  const answers = new Set<string>();
  for (let seed = 1; seed <= SAMPLE_RUNS; seed++) {
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
