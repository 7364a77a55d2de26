import "../../src/local/environment.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { TABLE_NAME } from "../../src/local/storage.ts";
import { tableThrough } from "../../src/table/dynamodb-table.ts";
import type { Asked, Told } from "./crew.ts";
import { openFunctions } from "./functions.ts";
import { LeanClient } from "./lean.ts";

/** A process with more than one function. Its parent process sends its requests, and it ends with the parent. */
const [endpoint = "", aheadMs = "0"] = process.argv.slice(2);
const table = tableThrough(new LeanClient(endpoint), TABLE_NAME);
const now = () => Date.now() + Number(aheadMs);
const { client, scheduledRuns } = openFunctions(table, { now, sleep });

// The parent may have ended; then the end of the channel ends this process.
const tell = (told: Told) => process.send?.(told, () => {});
process.on("message", async ({ id, call, scheduledRun }: Asked) => {
  if (call) tell({ id, reply: await client.call(...call) });
  // A failed scheduled run does no harm, because the next one reads everything again.
  else if (scheduledRun) {
    await scheduledRuns[scheduledRun]().catch(() => undefined);
    tell({ id });
  }
});
process.on("disconnect", () => process.exit());
// Ctrl-C is for the parent, which first finishes the work in progress.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
tell({ id: 0 });
