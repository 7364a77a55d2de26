import { currentScope, type WriteCounts, within } from "./scope.ts";
import { eachCall } from "./store/each-call.ts";
import type { Table } from "./store/table.ts";

/** The counts that a write adds to, by its step, once it is done. */
const COUNTED_STEPS: Readonly<Record<string, "claims" | "seizes" | "borrows">> = {
  "create-block": "claims",
  seize: "seizes",
  borrowed: "borrows",
};

/** Runs the work of one request, and counts its writes into `into` also if the work fails. */
export const countingInto = <T>(into: WriteCounts, work: () => Promise<T>): Promise<T> =>
  within({ counts: into }, work);

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
      const { counts: into } = currentScope();
      if (!into) return outcome;
      into.writes++;
      if (outcome.outcome === "lost") into.conflicts++;
      const counted = COUNTED_STEPS[write.step];
      if (counted && outcome.outcome === "done") into[counted]++;
      return outcome;
    },
  };
}
