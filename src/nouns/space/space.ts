import type { SubnetCount } from "./subnet-count.ts";

/** The position of a walk over the block groups of a space; pools come in the order of their names. */
export interface SpacePosition {
  /** The name of the pool it is in. */
  readonly pool: string;
  /** The last page of the pool's block-group index that the walk has completed. */
  readonly page?: string;
  /** The last block-group index of the next page that the walk has completed. */
  readonly group?: bigint;
  /** The counts of that pool's subnet so far; absent if a part of it was not counted. */
  readonly count?: SubnetCount;
}

/** An entry of the register of spaces that scheduled runs go through. */
export interface SpaceEntry {
  readonly space: string;
  /** New with every registration; absent in an entry from before there were revisions. */
  readonly revision: string | undefined;
  /** True while a job deletes the space: its revision is the one that the job gave it. */
  readonly isBeingDeleted: boolean;
  /** The position where `reclaim` stopped; absent at the start. A hint. */
  readonly position: SpacePosition | undefined;
}
