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
  "nouns/contents/operations/check-table.ts",
  "kernel/assign/explain.ts",
  "nouns/block/operations/list-blocks.ts",
  "nouns/affinity/operations/list-space-affinities.ts",
  "kernel/blocks/walk-pool.ts",
  "nouns/block/operations/read-block.ts",
  "nouns/address/operations/read-handle.ts",
  "kernel/core/store.ts",
  "nouns/utilization/operations/utilization.ts",
]);
const FOLDER = new URL("../../src/", import.meta.url);
/** The files of the kernel and of operations: they walk over items, and decide nothing without a table. */
const WALKS = /^(?:kernel\/(?!values\/|items\/)|maintenance\/|nouns\/\w+\/operations\/).*\.ts$/;
const coverage = new BranchCoverage(FOLDER, (file) => WALKS.test(file) && !NOT_WALKS.has(file));
let counting = false;

/** Runs tasks of a campaign, as one of its processes, until the campaign sends no more. */
process.on("message", async (task: Task) => process.send?.(await carryOut(task)));

async function carryOut({ from, runs, coverage: wanted, ...task }: Task): Promise<Done> {
  if (wanted && !counting) {
    counting = true;
    await coverage.start();
    // All files are loaded, so that a branch that no run reaches is counted as never taken.
    const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" });
    for (const file of files.filter((name) => WALKS.test(name)))
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
