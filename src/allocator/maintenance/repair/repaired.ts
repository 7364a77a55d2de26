import { note } from "../../core/failures.ts";

/** What a run of the repair run did. */
export interface Repaired {
  /** Allocations that were due. */
  due: number;
  /** Items that the walk over the table went through. */
  items: number;
  /** Allocations that were looked at with care: those that were due, and those that did not seem right. */
  allocations: number;
  allocationsDeleted: number;
  affinities: number;
  borrowedBlocksDeleted: number;
  /** Blocks, map pages and hints of pools that are gone. */
  orphansDeleted: number;
  /** Did the walk come to the end of the shard's segment of the table? */
  swept: boolean;
  /** What went wrong on the way, for the log; the run went on. */
  readonly failures: unknown[];
}

/** Does one thing of many: that it cannot be done must not keep a run from all that come after it. */
export async function going(done: Repaired, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    note(done.failures, error);
  }
}
