import "../../src/local/environment.ts";
import { TABLE_NAME } from "../../src/local/storage.ts";
import { tableThrough } from "../../src/store/dynamodb-table.ts";
import { contextOf } from "../../src/wiring.ts";
import type { Asked, Told } from "./crew.ts";
import { openFunctions } from "./functions.ts";
import { LeanClient } from "./lean.ts";

/** A process full of functions: what it is asked comes from the process that started it, and it ends with that. */
const [endpoint = "", aheadMs = "0"] = process.argv.slice(2);
const table = tableThrough(new LeanClient(endpoint), TABLE_NAME);
const now = () => Date.now() + Number(aheadMs);
const { client, scheduledRuns } = await openFunctions(table, { ...contextOf(table), now });

// Who asked may be gone; then the channel's end ends us.
const tell = (told: Told) => process.send?.(told, () => {});
process.on("message", async ({ id, call, scheduledRun }: Asked) => {
  if (call) tell({ id, reply: await client.call(...call) });
  // A scheduled run that failed has done no harm, and the next one looks at everything anew.
  else if (scheduledRun) {
    await scheduledRuns[scheduledRun]().catch(() => undefined);
    tell({ id });
  }
});
process.on("disconnect", () => process.exit());
// Ctrl-C is for who started us, and first finishes what is under way.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
tell({ id: 0 });
