import { AsyncLocalStorage } from "node:async_hooks";
import { eachCall } from "./store/each-call.ts";
import type { Table } from "./store/table.ts";

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

/** The counts that a write adds to, by its step, once it is done. */
const COUNTED_STEPS: Readonly<Record<string, "claims" | "seizes" | "borrows">> = {
  "create-block": "claims",
  seize: "seizes",
  borrowed: "borrows",
};

const counts = new AsyncLocalStorage<WriteCounts>();

/** Runs the work of one request, and counts its writes into `into` also if the work fails. */
export function countingInto<T>(into: WriteCounts, work: () => Promise<T>): Promise<T> {
  return counts.run(into, work);
}

export const noWrites = (): WriteCounts => ({
  writes: 0,
  conflicts: 0,
  claims: 0,
  seizes: 0,
  borrows: 0,
});

/** Returns a table that counts the conditional writes of each request by their step and their outcome. */
export function countedTable(table: Table): Table {
  return {
    ...eachCall(table, (call) => call()),
    async write(write) {
      const outcome = await table.write(write);
      const into = counts.getStore();
      if (!into) return outcome;
      into.writes++;
      if (outcome.outcome === "lost") into.conflicts++;
      const counted = COUNTED_STEPS[write.step];
      if (counted && outcome.outcome === "done") into[counted]++;
      return outcome;
    },
  };
}
