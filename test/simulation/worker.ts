import { readdirSync } from "node:fs";
import type { Violation } from "../../src/invariants/violation.ts";
import { BranchCoverage } from "./coverage.ts";
import { Tally, type TallyState } from "./tally.ts";

/** Seeds to run, one after another. */
export interface Task {
  readonly from: number;
  readonly runs: number;
  readonly without?: string | undefined;
  readonly schedule?: number | undefined;
  readonly only?: readonly string[] | undefined;
  readonly agents?: boolean | undefined;
  readonly coverage: boolean;
}

/** The results of a task, which ends with the first failing seed. */
export interface Done {
  readonly from: number;
  readonly tally: TallyState;
  readonly broken?: { readonly seed: number; readonly violations: readonly Violation[] };
}

/**
 * Files that are no walks: the judge itself, type declarations, and the code that turns the pages
 * of lists or explains a request.
 */
const NOT_WALKS = new Set([
  "read/check-table.ts",
  "assign/explain.ts",
  "read/list-blocks.ts",
  "read/list-space-affinities.ts",
  "core/page-budget.ts",
  "blocks/walk-pool.ts",
  "read/read-block.ts",
  "read/read-handle.ts",
  "core/store.ts",
  "read/utilization.ts",
]);
const FOLDER = new URL("../../src/allocator/", import.meta.url);
const coverage = new BranchCoverage(FOLDER, (file) => !NOT_WALKS.has(file));
let counting = false;

/** Runs tasks of a campaign, as one of its processes, until the campaign sends no more. */
process.on("message", async (task: Task) => process.send?.(await carryOut(task)));

async function carryOut({ from, runs, coverage: wanted, ...task }: Task): Promise<Done> {
  if (wanted && !counting) {
    counting = true;
    await coverage.start();
    // All files are loaded, so that a branch that no run reaches is counted as never taken.
    const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" });
    for (const file of files.filter((name) => name.endsWith(".ts")))
      await import(new URL(file, FOLDER).href);
    await coverage.take();
  }
  const { simulate } = await import("./run.ts");
  const tally = new Tally();
  for (let seed = from; seed < from + runs; seed++) {
    const result = await simulate({ ...task, seed, only: task.only && new Set(task.only) });
    tally.add(result, counting ? await coverage.take() : []);
    const { violations } = result;
    if (violations.length > 0) return { from, tally: tally.state(), broken: { seed, violations } };
  }
  return { from, tally: tally.state() };
}
