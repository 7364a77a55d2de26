/** The conditional writes of one request, and what became of them. */
export interface WriteCounts {
  /** All conditional writes: the tries of every compare-and-swap. */
  writes: number;
  /** Writes whose condition failed, because somebody else was faster. */
  conflicts: number;
  /** Blocks that were created for a host, a set or a node. */
  claims: number;
  /** Empty blocks that another host got. */
  seizes: number;
  /** New entries of borrowed blocks. */
  borrows: number;
}

export const noWrites = (): WriteCounts => ({
  writes: 0,
  conflicts: 0,
  claims: 0,
  seizes: 0,
  borrows: 0,
});
