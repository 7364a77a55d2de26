import type { Context } from "../../../kernel/core/context.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import type { Job } from "../job.ts";

/**
 * Writes these changes to a job under the revision that was read.
 *
 * @returns the changed job; nothing if another worker was faster, or the outcome is unknown
 */
export async function advance<Kind extends Job>(
  context: Context,
  step: string,
  seen: Kind,
  changes: Partial<Kind>,
): Promise<Kind | undefined> {
  const updatedAtMs = context.now();
  const next: Kind = { ...seen, ...changes, updatedAtMs, revision: fresh(context) };
  const changed = await context.store.changeJob(step, seen, next);
  return changed.outcome === "done" ? next : undefined;
}

/** Returns a job as it is now; as it was seen if it is gone. */
export async function readAgain<Kind extends Job>(context: Context, seen: Kind): Promise<Kind> {
  const now = await context.store.readJob(seen.space, seen.id);
  return now && isLike(now, seen) ? now : seen;
}

const isLike = <Kind extends Job>(job: Job, seen: Kind): job is Kind => job.kind === seen.kind;

/** Ends a job as done, failed or cancelled. */
export function endJob<Kind extends Job>(
  context: Context,
  job: Kind,
  state: "done" | "failed" | "cancelled",
  detail: string,
): Promise<Kind | undefined> {
  const end: Partial<Job> = { state, detail, finishedAtMs: context.now() };
  return advance(context, "end-job", job, end as Partial<Kind>);
}
