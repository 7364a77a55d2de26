import * as v from "valibot";
import { effectiveAt, next, time, unreadable, whole } from "./parts.ts";

export const walk = v.strictObject({
  groups: whole,
  blocks: whole,
  deleted: whole,
  taken: whole,
  cooling: whole,
});

export const jobRead = v.strictObject({
  id: v.string(),
  space: v.string(),
  kind: v.picklist(["pool.drain", "pool.delete", "pool.release", "pool.shrink", "space.delete"]),
  pool: v.optional(
    v.pipe(
      v.string(),
      v.description("The pool that the job works on; absent for a job of a space"),
    ),
  ),
  mustBeEmpty: v.optional(v.literal(true)),
  state: v.picklist(["running", "done", "failed", "cancelled"]),
  detail: v.string(),
  progress: v.strictObject({
    current: v.optional(walk),
    last: v.optional(walk),
    removed: v.optional(
      v.pipe(whole, v.description("For the deletion of a space: the items that it has removed")),
    ),
  }),
  createdAt: time,
  updatedAt: time,
  earliestEndAt: v.optional(
    v.pipe(
      time,
      v.description(
        "For a running drain, delete or shrink: the earliest end, because a function may still use the pool until then",
      ),
    ),
  ),
  finishedAt: v.optional(time),
});

export const jobsRead = v.strictObject({ jobs: v.array(jobRead), unreadable, next });

export const jobBegun = v.strictObject({ job: jobRead, effectiveAt: v.optional(effectiveAt) });

export const jobDryRun = v.strictObject({ job: jobRead, dryRun: v.literal(true) });
