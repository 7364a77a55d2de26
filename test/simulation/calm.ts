import { JOB_KEPT_MS } from "../../src/base/limits.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import { findViolations } from "../../src/invariants/invariants.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { shuffled } from "../../src/kernel/values/fresh.ts";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import { contentsOf } from "../../src/store/contents.ts";
import { unregisteredIn } from "../register.ts";
import { reclaimSpaces, repairAll } from "../scheduled-runs.ts";
import { retireAgents } from "./agents.ts";
import { inherit } from "./heir.ts";
import { retirePools } from "./pool-makers.ts";
import { SPACES } from "./requests.ts";
import { judgeRetryable } from "./retryable.ts";
import type { Life } from "./run.ts";
import { retire } from "./scaler.ts";

/** The requests of a run whose answers are judged. */
const JUDGED_MAX = 2;

/** Returns true for a request that names neither an address nor a workload, whose addresses are its own. */
const isPlain = ({ addresses, workload, interfaces }: AssignRequest): boolean =>
  addresses === undefined && workload === undefined && interfaces === undefined;

/**
 * Ends a run without further clients. After the scheduled runs the table must be tidy, and empty
 * once everything is released.
 */
export async function calmDown(
  context: Context,
  { scenario, scheduler, ledger, subnet, crew, fleet, agents }: Life,
  requests: readonly AssignRequest[],
): Promise<readonly Violation[]> {
  const { table } = scheduler;
  const contents = (): Contents => contentsOf(table.items());
  const scheduledRun = async (waitMs: number) => {
    scheduler.nowMs += waitMs;
    await runJobs(context);
    await reclaimSpaces(context, SPACES);
    await repairAll(context);
  };
  /** Judges what some of the requests are answered while nobody else acts. */
  const judgeSome = async (): Promise<readonly Violation[]> => {
    const { cooldownMs, settings } = scenario;
    const longest = { cooldownMs, blockMinAgeMs: 1000 * settings.blockMinAgeSeconds };
    const at = { table, clock: { nowMs: Math.round(scheduler.nowMs) } };
    const judged: Violation[] = [];
    for (const request of shuffled(requests.filter(isPlain), context.random).slice(0, JUDGED_MAX))
      judged.push(...(await judgeRetryable(at, request, longest, context.random)));
    return judged;
  };
  for (let n = 0; n < 4; n++) await scheduledRun(100_000);
  // The repair run ends what an instance without a replica keeps.
  crew?.judge.step(contents());
  ledger.hold(contents(), scheduler.nowMs);
  const unregistered = unregisteredIn(table).map((space) => ({
    invariant: "register",
    message: `space ${space} has a pool, and no scheduled pass comes by it`,
  }));
  fleet?.judge.rest(contents());
  const found = [
    ...findViolations(contents(), { quiet: true }),
    ...ledger.violations,
    ...(crew?.judge.violations ?? []),
    ...(fleet?.judge.violations ?? []),
    ...unregistered,
  ];
  found.push(...(await judgeSome()));
  if (found.length > 0) return found;
  for (const each of agents) await retireAgents(context, each);
  const releaseUnheld = async () => {
    for (const { place, handle, childId } of contents().allocations)
      if (childId === undefined) await releaseHandle(context, place.space, handle);
  };
  await releaseUnheld();
  await retirePools(context, scheduledRun);
  await releaseUnheld();
  if (fleet) await retire(context, fleet);
  // A finished job is kept the longest, and a pool may need three scheduled runs to disappear.
  for (let n = 0; n < 5; n++) await scheduledRun(JOB_KEPT_MS);
  const { blocks, affinities, borrowedBlocks, quotaSlots, allocations, applications, jobs } =
    contents();
  const left = [
    ...blocks,
    ...affinities,
    ...borrowedBlocks,
    ...quotaSlots,
    ...allocations,
    // One that keeps its addresses stays without any if its pools are gone.
    ...applications.filter(({ state, listed }) => state !== "retained" || listed.length > 0),
    ...jobs,
  ].map((one) => ({
    invariant: "tidy",
    message: `everything was released, and this is left: ${JSON.stringify(one, (_, v) => (typeof v === "bigint" ? String(v) : v))}`,
  }));
  if (left.length > 0 || !subnet) return left;
  return inherit(context, subnet, async () => {
    for (let n = 0; n < 3; n++) await scheduledRun(100_000);
  });
}
