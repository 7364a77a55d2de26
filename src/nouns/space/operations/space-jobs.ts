import { Rejection } from "../../../base/outcome.ts";
import { answer, compareAndSwap, RETRY, type Step } from "../../../kernel/core/compare-and-swap.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { registerSpace } from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { SPACE_JOB_ID, type SpaceJob } from "../../job/job.ts";
import { readAgain } from "../../job/operations/advance-job.ts";
import { beginJob } from "../../job/operations/begin-job.ts";
import { isInUse, spaceInUse } from "../space-use.ts";
import { markSpace } from "./mark-space.ts";
import { readSpaceContents, type SpaceContents } from "./read-space-contents.ts";

/**
 * Starts to delete a space in which no pool, no application and no node is left. A job removes what else an operator wrote there. A
 * repeat of the request returns the job, also after it is done, while nothing new is in the space.
 *
 * @returns the job; or `space_in_use`, or `not_found` for a space that has nothing
 */
export async function deleteSpace(
  context: Context,
  space: string,
): Promise<{ readonly job: SpaceJob } | Rejection> {
  return compareAndSwap<{ readonly job: SpaceJob } | Rejection>(`space ${space}`, async () => {
    const before = await context.store.readJob(space, SPACE_JOB_ID);
    const known = before?.kind === "space.delete" ? before : undefined;
    if (known?.state === "running") return begin(context, known);
    const contents = await readSpaceContents(context, space);
    if (isInUse(contents.use)) return answer(spaceInUse(space, contents.use, contents));
    const entry = await context.store.readSpaceEntry(space);
    if (!entry && isEmpty(contents))
      return answer(known?.state === "done" ? { job: known } : nothingIn(space));
    const spaceRevision = entry?.revision ?? (await registerSpace(context, space));
    return begin(context, jobOf(context, space, spaceRevision));
  });
}

const nothingIn = (space: string): Rejection =>
  new Rejection("not_found", `There is nothing in space ${space}.`);

/** Returns true if the deletion of a space would remove nothing. */
const isEmpty = (contents: SpaceContents): boolean => {
  const { settingsRevision, reservations, quotas, namespaces } = contents;
  return (
    settingsRevision === undefined && reservations.length + quotas.length + namespaces.length === 0
  );
};

/** Writes the job first and marks the space then. The worker continues the job if a crash follows. */
async function begin(
  context: Context,
  wanted: SpaceJob,
): Promise<Step<{ readonly job: SpaceJob }>> {
  const job = await beginJob(context, wanted);
  if (job.state !== "running" || job.markedAtMs !== undefined) return answer({ job });
  const marked = (await markSpace(context, job)) ?? (await readAgain(context, job));
  // Something was written since the contents were read, or another worker was faster.
  const isUnmarked = marked.state === "running" && marked.markedAtMs === undefined;
  return marked.state === "failed" || isUnmarked ? RETRY : answer({ job: marked });
}

function jobOf(context: Context, space: string, spaceRevision: string): SpaceJob {
  const nowMs = context.now();
  return {
    space,
    id: SPACE_JOB_ID,
    kind: "space.delete",
    spaceRevision,
    stamp: fresh(context),
    removed: 0,
    state: "running",
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    detail: "The job will remove what is left in the space.",
    revision: fresh(context),
  };
}
