import { note } from "../../kernel/core/bounded-work.ts";

/** The result of a repair run. */
export interface Repaired {
  /** Allocations that were due. */
  due: number;
  /** The time that the oldest due item had waited; a tombstone of a node counts too. */
  oldestDueSeconds: number;
  /** Items that the walk over the table went through. */
  items: number;
  /** Allocations that the run checked with consistent reads: the due ones, and those that did not seem in order. */
  allocations: number;
  allocationsDeleted: number;
  affinities: number;
  borrowedBlocksDeleted: number;
  /** Blocks, map pages and hints of pools that are gone. */
  orphansDeleted: number;
  /** Nodes that ended, and all that they had is free. */
  nodesEnded: number;
  /** Nodes that ended and wait, because too many did at once. */
  nodesHeld: number;
  /** True if the walk reached the end of the shard's segment of the table. */
  swept: boolean;
  /** Failures for the log; the run continued. */
  readonly failures: unknown[];
}

/** Does one of many tasks. Its failure must not keep a run from the tasks after it. */
export async function going(done: Repaired, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    note(done.failures, error);
  }
}
