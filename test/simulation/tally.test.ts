import { describe, expect, it } from "vitest";
import type { Branch } from "./coverage.ts";
import type { RunResult } from "./run.ts";
import { Tally } from "./tally.ts";

const branch = (line: number): Branch => ({
  file: "take.ts",
  line,
  column: 1,
  within: "take",
  text: `line ${line}`,
});
const [outer, inner] = [branch(1), branch(2)];
const run = (calls: number): RunResult => ({
  violations: [],
  seen: new Map([
    ["call: get", calls],
    ["fault: frozen", 1],
  ]),
  processes: ["client 0", "client 1"],
});
const takenIn = (tally: Tally) =>
  Object.fromEntries(tally.branches().map(({ branch, runs }) => [branch.line, runs]));

describe("what a campaign has come by", () => {
  it("counts runs, not how often something came up in one", () => {
    const tally = new Tally();
    tally.add(run(10), []);
    tally.add(run(30), []);
    expect(tally.shares("fault", ["busy", "frozen"])).toEqual([
      { what: "fault: busy", runs: 0 },
      { what: "fault: frozen", runs: 2 },
    ]);
    expect(tally.means).toEqual({ processes: 2, calls: 20 });
  });

  it("takes a branch that was not known before for as frequent as the one around it", () => {
    const tally = new Tally();
    tally.add(run(1), [{ branch: outer, around: undefined, is: true }]);
    tally.add(run(1), [
      { branch: outer, around: undefined, is: true },
      { branch: inner, around: outer, is: false },
    ]);
    expect(takenIn(tally)).toEqual({ 1: 2, 2: 1 });
  });

  it("is the same whether one process has run it, or two", () => {
    const [first, second] = [new Tally(), new Tally()];
    first.add(run(1), [{ branch: outer, around: undefined, is: true }]);
    second.add(run(1), [
      { branch: outer, around: undefined, is: true },
      { branch: inner, around: outer, is: false },
    ]);
    first.merge(second.state());
    expect(first.runs).toBe(2);
    expect(takenIn(first)).toEqual({ 1: 2, 2: 1 });
    expect(Tally.of(first.state()).state()).toEqual(first.state());
  });
});
