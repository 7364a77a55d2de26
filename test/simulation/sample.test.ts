import { expect, it } from "vitest";
import { watchClauses } from "../clauses/met.ts";
import { simulate } from "./run.ts";

const RUNS = 50;

it(`${RUNS} simulated runs with faults at every call: no address is given twice, none is lost, none leaks, and docs/protocol.md lists every clause that they come by`, async () => {
  const met = watchClauses();
  for (let seed = 1; seed <= RUNS; seed++) {
    const { violations } = await simulate({ seed });
    expect(violations, `seed ${seed}`).toEqual([]);
  }
  met.end();
});
