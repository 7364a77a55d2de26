import { assertTexts, assertTimes, assertWhole } from "../../base/assertions.ts";
import type { JobState } from "./job-state.ts";

/** The id of the job that deletes a space. A space can be deleted again after each job. */
export const SPACE_JOB_ID = "delete-space";

/** The deletion of an empty space. */
export interface SpaceJob extends JobState {
  readonly kind: "space.delete";
  /** The revision of the space's entry in the register, as the request saw it: the job begins with no other. */
  readonly spaceRevision: string;
  /**
   * The revision that the job gives the entry. Whoever writes what the job may remove gives the entry a new one first. So the job
   * removes only what was there when the entry got this one.
   */
  readonly stamp: string;
  /** The time when the entry was found with the stamp; absent before. */
  readonly markedAtMs?: number;
  /** The number of items that it has removed. */
  readonly removed: number;
}

/** Checks that a job has the revisions that its writes of the register compare. @throws {Error} */
export function assertSpaceJob({ spaceRevision, stamp, markedAtMs, removed }: SpaceJob): void {
  assertTexts({ spaceRevision, stamp });
  assertTimes(markedAtMs);
  assertWhole({ removed });
}
