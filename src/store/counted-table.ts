import type { WriteCounts } from "../domain/write-counts.ts";
import { eachCall } from "./each-call.ts";
import type { Table } from "./table.ts";

/** The counts that a write adds to, by its step, once it is done. */
const COUNTED_STEPS: Readonly<Record<string, "claims" | "seizes" | "borrows">> = {
  "create-block": "claims",
  seize: "seizes",
  borrowed: "borrows",
};

/** Returns a table that counts its conditional writes into `into`, by their step and their outcome. */
export function countedTable(table: Table, into: WriteCounts): Table {
  return {
    ...eachCall(table, (call) => call()),
    async write(write) {
      const outcome = await table.write(write);
      into.writes++;
      if (outcome.outcome === "lost") into.conflicts++;
      const counted = COUNTED_STEPS[write.step];
      if (counted && outcome.outcome === "done") into[counted]++;
      return outcome;
    },
  };
}
