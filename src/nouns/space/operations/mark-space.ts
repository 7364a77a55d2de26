import { UnavailableError } from "../../../base/outcome.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { SpaceJob } from "../../job/job.ts";
import { advance, endJob } from "../../job/operations/advance-job.ts";

/**
 * Carries out the first step of the deletion of a space: gives the space's entry in the register the revision of the job. The mark
 * applies only to the revision that the request saw. A space in which something was written since ends the job. If another worker
 * has set the mark, the job continues after it.
 *
 * @returns the job after the step, or nothing if another worker carries it on
 */
export function markSpace(context: Context, job: SpaceJob): Promise<SpaceJob | undefined> {
  const { space, spaceRevision, stamp } = job;
  return compareAndSwap(`the entry of space ${space}`, async () => {
    const revision = (await context.store.readSpaceEntry(space))?.revision;
    if (revision === stamp)
      return answer(await advance(context, "mark-job", job, { markedAtMs: context.now() }));
    if (revision !== spaceRevision)
      return answer(await endJob(context, job, "failed", CHANGED_MEANWHILE));
    const marked = await context.store.markSpace(space, spaceRevision, stamp);
    // A read proves nothing while the write may still land. A later scheduled run finds the mark, or sets it.
    if (marked.outcome === "unknown")
      throw new UnavailableError("the database did not say whether the space was marked");
    return RETRY;
  });
}

const CHANGED_MEANWHILE =
  "Something was written in the space since the operator asked; nothing is removed.";
