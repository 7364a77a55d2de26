import { JOB_ITEMS_PER_SLICE } from "../../../base/limits.ts";
import { CorruptItemError, type Outcome, orCorrupt } from "../../../base/outcome.ts";
import { announceChange } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { registerSpace } from "../../../kernel/core/written.ts";
import type { SpaceJob } from "../../job/job.ts";
import { advance, endJob } from "../../job/operations/advance-job.ts";
import { isInUse, useText } from "../space-use.ts";
import { markSpace } from "./mark-space.ts";
import { readSpaceContents, type SpaceContents } from "./read-space-contents.ts";

const JOB_ITEMS_AT_ONCE = 16;

/**
 * Carries out one slice of the deletion of a space: removes some of what is left in it. After the last, the space leaves the
 * register, and the job is done.
 *
 * Whoever writes what the job may remove gives the space's entry in the register a new revision first. The slice reads what is
 * there, and the entry then. So an entry that still has the stamp of the job proves that the job saw nothing newer than its mark. It
 * removes each item as it saw it. What appears meanwhile stays, and ends the job.
 *
 * @returns the job after the slice, or nothing if another worker carries it on
 */
export async function emptySpace(context: Context, seen: SpaceJob): Promise<SpaceJob | undefined> {
  const job = seen.markedAtMs === undefined ? await markSpace(context, seen) : seen;
  if (job?.state !== "running") return job;
  const contents = await orCorrupt(readSpaceContents(context, job.space));
  if (contents instanceof CorruptItemError) return stop(context, job, contents.message);
  if (isInUse(contents.use)) return stop(context, job, `it has ${useText(contents.use)}`);
  const removals = removalsOf(context, job.space, contents);
  const entry = await context.store.readSpaceEntry(job.space);
  if (entry?.revision === job.stamp)
    return removals.length > 0 ? deleteSome(context, job, removals) : unregister(context, job);
  // The entry goes last, so a job whose entry is gone has removed everything.
  if (entry || removals.length > 0)
    return stop(context, job, "something was written in it meanwhile");
  return end(context, job);
}

type Removal = () => Promise<Outcome<unknown>>;

/** Returns the deletions of what is left in a space, each conditional on the revision that was read. */
function removalsOf(
  { store }: Context,
  space: string,
  { settingsRevision, reservations, quotas, namespaces }: SpaceContents,
): readonly Removal[] {
  return [
    ...reservations.map((seen) => () => store.deleteReservation(seen)),
    ...quotas.map((seen) => () => store.deleteQuota(seen)),
    ...namespaces.map((seen) => () => store.deleteNamespace(seen)),
    ...(settingsRevision === undefined
      ? []
      : [() => store.deleteSettings(space, settingsRevision)]),
  ];
}

async function deleteSome(
  context: Context,
  job: SpaceJob,
  removals: readonly Removal[],
): Promise<SpaceJob | undefined> {
  const slice = removals.slice(0, JOB_ITEMS_PER_SLICE);
  const outcomes = await inParallel(slice, JOB_ITEMS_AT_ONCE, (remove) => remove());
  const removed = job.removed + outcomes.filter(({ outcome }) => outcome === "done").length;
  // Of a slice that removed nothing the next scheduled run finds out why.
  if (removed === job.removed) return undefined;
  return advance(context, "walk-job", job, { removed, detail: `${removedText(removed)} so far.` });
}

/** Takes the space out of the register, if nothing was written in it, and ends the job. */
async function unregister(context: Context, job: SpaceJob): Promise<SpaceJob | undefined> {
  const { space, stamp } = job;
  const { outcome } = await context.store.deleteSpaceEntry({ space, revision: stamp });
  if (outcome === "done") return end(context, job);
  // The next slice finds what was written, or that another worker was faster.
  return outcome === "lost" ? job : undefined;
}

async function end(context: Context, job: SpaceJob): Promise<SpaceJob | undefined> {
  await announceChange(context, job.space);
  return endJob(context, job, "done", `The space is deleted: ${removedText(job.removed)}.`);
}

/** Ends a job that cannot go on. The entry loses its mark first, so that `reclaim` can remove it. */
async function stop(context: Context, job: SpaceJob, why: string): Promise<SpaceJob | undefined> {
  await registerSpace(context, job.space);
  await announceChange(context, job.space);
  const before = `${removedText(job.removed)} before.`;
  return endJob(context, job, "failed", `The space is not deleted: ${why}. ${before}`);
}

const removedText = (removed: number): string =>
  `${removed} ${removed === 1 ? "item was" : "items were"} removed`;
