import type { Context } from "../../src/allocator/core/context.ts";
import { runJobs } from "../../src/allocator/jobs/run-jobs.ts";
import { releaseHandle } from "../../src/allocator/release/release-handle.ts";
import type { Contents } from "../../src/domain/contents.ts";
import { findViolations } from "../../src/domain/invariants.ts";
import { JOB_KEPT_MS } from "../../src/domain/limits.ts";
import type { Violation } from "../../src/domain/violation.ts";
import { contentsOf } from "../../src/store/contents.ts";
import { unregisteredIn } from "../register.ts";
import { reclaimSpaces, repairAll } from "../scheduled-runs.ts";
import { SPACES } from "./requests.ts";
import type { Life } from "./run.ts";

/**
 * Ends a run without further clients. After the scheduled runs the table must be tidy, and empty
 * once everything is released.
 */
export async function calmDown(
  context: Context,
  { scheduler, ledger }: Life,
): Promise<readonly Violation[]> {
  const { table } = scheduler;
  const contents = (): Contents => contentsOf(table.items());
  const scheduledRun = async (waitMs: number) => {
    scheduler.nowMs += waitMs;
    await runJobs(context);
    await reclaimSpaces(context, SPACES);
    await repairAll(context);
  };
  for (let n = 0; n < 4; n++) await scheduledRun(100_000);
  ledger.hold(contents(), scheduler.nowMs);
  const unregistered = unregisteredIn(table).map((space) => ({
    invariant: "register",
    message: `space ${space} has a pool, and no scheduled pass comes by it`,
  }));
  const found = [
    ...findViolations(contents(), { quiet: true }),
    ...ledger.violations,
    ...unregistered,
  ];
  if (found.length > 0) return found;
  for (const { place, handle } of contents().allocations)
    await releaseHandle(context, place.space, handle);
  // A finished job is kept the longest, and a pool may need three scheduled runs to disappear.
  for (let n = 0; n < 5; n++) await scheduledRun(JOB_KEPT_MS);
  const { blocks, affinities, borrowedBlocks, quotaSlots, allocations, jobs } = contents();
  return [...blocks, ...affinities, ...borrowedBlocks, ...quotaSlots, ...allocations, ...jobs].map(
    (left) => ({
      invariant: "tidy",
      message: `everything was released, and this is left: ${JSON.stringify(left, (_, v) => (typeof v === "bigint" ? String(v) : v))}`,
    }),
  );
}
