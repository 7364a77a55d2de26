import { CHILD_POOLS_TOLD_MAX, EFFECTIVE_MS_MAX } from "../../../base/limits.ts";
import type { Listed } from "../../../base/listed.ts";
import { Rejection } from "../../../base/outcome.ts";
import { lookAtSet } from "../../../kernel/blocks/look-at-set.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import { answer, compareAndSwap, RETRY, type Step } from "../../../kernel/core/compare-and-swap.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { type Precondition, unmet } from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import {
  deleteJobId,
  drainJobId,
  type Job,
  type PoolJob,
  releaseJobId,
  untilDeleted,
} from "../../job/job.ts";
import { endJob, readAgain } from "../../job/operations/advance-job.ts";
import { beginJob } from "../../job/operations/begin-job.ts";
import { takenWithin } from "../../utilization/used-in.ts";
import { isForApplications, withoutInner } from "../application-pools.ts";
import { poolNamed } from "../configuration.ts";
import { childrenOf } from "../hierarchy.ts";
import { assignsPrefixes, type Pool, serves } from "../pool.ts";
import { extentOf } from "../set.ts";
import { beingDeleted, readPool } from "./administration.ts";
import { ENABLED_AGAIN, markPool } from "./mark-pool.ts";

/** A job that continues after the request is answered. */
export interface Accepted {
  readonly job: PoolJob;
  /** The time from which no address of the pool is assigned, in milliseconds since the epoch. */
  readonly effectiveAtMs: number;
}

/**
 * Drains a pool if the precondition holds: disables it, and starts a job that waits until no block of it is left. Its
 * assignments stay valid. Enabling the pool again ends the job.
 */
export async function drainPool(
  context: Context,
  space: string,
  name: string,
  precondition: Precondition,
): Promise<Accepted | Rejection> {
  const resource = { kind: "pool", name };
  return compareAndSwap<Accepted | Rejection>(`the pool ${name}`, async () => {
    const pool = await readPool(context, space, name);
    if (pool instanceof Rejection) return answer(pool);
    if (pool.state === "deleting") return answer(beingDeleted(pool, { isAwaited: false }));
    const { revision } = pool;
    const rejection = unmet({ ...resource, revision }, { act: "drain", precondition });
    if (rejection) return answer(rejection);
    const isOpen = (job: Job): job is PoolJob =>
      job.kind === "pool.drain" && job.poolId === pool.id && job.state === "running";
    const { items: jobs, unreadable } = await context.store.listJobs(space);
    // The unreadable job may be the open one.
    const [unread] = unreadable;
    if (unread) throw unread;
    const open = jobs.find(isOpen);
    // A job whose pool was enabled again stops no assignments. No worker has come by to end it yet.
    if (open?.markedAtMs !== undefined && !pool.disabled) {
      const now = await readPool(context, space, name);
      if (!(now instanceof Rejection) && now.revision === revision)
        await endJob(context, open, "cancelled", ENABLED_AGAIN);
      return RETRY;
    }
    return begin(context, open ?? jobOf(context, pool, "pool.drain"));
  });
}

/**
 * Deletes a pool if the precondition holds: it serves no request any more, and a job frees its range and its name once
 * that is safe. A pool that is still pending is deleted at once, and the job is done. A pool that serves and has
 * assigned addresses is rejected. The job of a drained or disabled pool waits until the last of them is released. A
 * repeat of the request returns the job that is under way.
 */
export async function deletePool(
  context: Context,
  space: string,
  name: string,
  precondition: Precondition,
): Promise<Accepted | Rejection> {
  const resource = { kind: "pool", name };
  return compareAndSwap<Accepted | Rejection>(`the pool ${name}`, async () => {
    const configuration = await context.store.readSpace(space);
    const pool = poolNamed(configuration, name) ?? notFound(space, "pool", name);
    if (pool instanceof Rejection) return answer(pool);
    if (pool.state !== "deleting") {
      const { revision } = pool;
      const rejection = unmet({ ...resource, revision }, { act: "delete", precondition });
      if (rejection) return answer(rejection);
      const inUse =
        withChild(pool, configuration.pools) ??
        (serves(pool) ? await checkUnused(context, pool) : undefined);
      if (inUse) return answer(inUse);
    }
    return begin(context, jobOf(context, pool, "pool.delete"));
  });
}

/**
 * Releases the affinities of every block of a pool, of any host (Calico's ReleasePoolAffinities). A job goes through
 * the pool once. The assignments stay valid, the pool still serves, and hosts can claim its blocks again.
 *
 * @param mustBeEmpty true to keep the affinity of a block with an assigned or cooling address
 */
export async function releasePool(
  context: Context,
  { space, name, mustBeEmpty }: PoolRelease,
): Promise<Pick<Accepted, "job"> | Rejection> {
  const pool = await readPool(context, space, name);
  if (pool instanceof Rejection) return pool;
  if (pool.state === "deleting") return beingDeleted(pool, { isAwaited: false });
  return { job: await beginJob(context, jobOf(context, pool, "pool.release", { mustBeEmpty })) };
}

/** The pool and the blocks whose affinities are released. */
interface PoolRelease {
  readonly space: string;
  readonly name: string;
  readonly mustBeEmpty: boolean;
}

export async function readJob(
  context: Context,
  space: string,
  id: string,
): Promise<Job | Rejection> {
  return (await context.store.readJob(space, id)) ?? notFound(space, "job", id);
}

export async function listJobs(context: Context, space: string): Promise<Listed<Job>> {
  const { items, unreadable } = await context.store.listJobs(space);
  const inOrder = items.toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
  return { items: inOrder, unreadable };
}

/** Writes the job first and marks the pool then. The worker continues the job if a crash follows. */
async function begin(context: Context, wanted: PoolJob): Promise<Step<Accepted>> {
  const job = await beginJob(context, wanted);
  const marked =
    job.state === "running" && job.markedAtMs === undefined
      ? ((await markPool(context, job)) ?? (await readAgain(context, job)))
      : job;
  // A job that is not marked is not known to have stopped anything: its pool may have changed since it was read.
  const isUnmarked = marked.state === "running" && marked.markedAtMs === undefined;
  if (marked.state === "failed" || isUnmarked) return RETRY;
  // A pool that was never marked is gone: it was never active, or another job was faster.
  const effectiveAtMs =
    marked.markedAtMs === undefined ? context.now() : marked.markedAtMs + EFFECTIVE_MS_MAX;
  return answer({ job: marked, effectiveAtMs });
}

/** A job that releases affinities leaves blocks to their hosts that must be empty, and are not. */
interface JobOptions {
  readonly mustBeEmpty: boolean;
}

/** The kinds of jobs that are begun for their own sake. A change of a pool begins the others. */
type Begun = Exclude<PoolJob["kind"], "pool.shrink">;

const IDS: Readonly<Record<Begun, (pool: Pool, options: JobOptions) => string>> = {
  "pool.drain": ({ id, revision }) => drainJobId(id, revision),
  "pool.delete": ({ id }) => deleteJobId(id),
  "pool.release": ({ id }, options) => releaseJobId(id, options),
};

function jobOf(
  context: Context,
  pool: Pool,
  kind: Begun,
  { mustBeEmpty }: JobOptions = { mustBeEmpty: false },
): PoolJob {
  const nowMs = context.now();
  return {
    space: pool.space,
    id: IDS[kind](pool, { mustBeEmpty }),
    kind,
    pool: pool.name,
    poolId: pool.id,
    poolRevision: pool.revision,
    ...(mustBeEmpty && { mustBeEmpty }),
    state: "running",
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    ...(kind === "pool.release"
      ? { markedAtMs: nowMs, detail: "The job will release the affinities of its blocks." }
      : { detail: "The job will stop new assignments from the pool." }),
    revision: fresh(context),
  };
}

/** Returns the rejection of the deletion of a pool of whose prefixes others are made. */
function withChild(pool: Pool, pools: readonly Pool[]): Rejection | undefined {
  const children = childrenOf(pool, pools);
  const [first] = children;
  if (!first) return undefined;
  const more = children.length > 1 ? ` and ${children.length - 1} more are` : " is";
  const wait = untilDeleted(...children);
  const way =
    "job" in wait
      ? `, and ${children.length > 1 ? "are" : "is"} being deleted; delete it after that`
      : "; delete what is made of it first";
  return new Rejection(
    "pool_in_use",
    `Pool ${first.name}${more} made of a prefix of pool ${pool.name}${way}.`,
    { children: children.slice(0, CHILD_POOLS_TOLD_MAX).map(({ name }) => name), ...wait },
  );
}

/**
 * Returns a rejection if addresses of a pool are assigned. It reads a limited number of block groups. The job waits for
 * addresses in the others, and for addresses that are assigned later.
 */
async function checkUnused(context: Context, pool: Pool): Promise<Rejection | undefined> {
  // The addresses of the pools inside of an Applications pool are not its own.
  const pools = isForApplications(pool) ? (await context.store.readSpace(pool.space)).pools : [];
  const extent = withoutInner(extentOf(pool), pool, pools);
  const { blocks, groups, groupsLooked } = await lookAtSet(context, pool, extent);
  const taken = blocks.reduce((sum, block) => sum + takenWithin(block, extent).length, 0);
  if (taken === 0) return undefined;
  const unit = assignsPrefixes(pool) ? "prefix" : "address";
  return new Rejection(
    "pool_in_use",
    `${groupsLooked === groups ? "" : "At least "}${taken} ${unit}${taken === 1 ? "" : "es"} of pool ${pool.name} ${taken === 1 ? "is" : "are"} assigned; drain it first, then delete it: the deletion waits until all are released.`,
    { taken, groups, groupsLooked },
  );
}
