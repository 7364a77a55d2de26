import { note } from "../../core/failures.ts";

/** The result of a repair run. */
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
  /** Failures for the log; the run continued. */
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
