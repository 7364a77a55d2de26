import "../src/local/environment.ts";
import { EVERY_SHARD } from "../src/base/hash.ts";
import { SHARDS } from "../src/base/limits.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { inParallel } from "../src/kernel/core/parallel.ts";
import { reclaim } from "../src/kernel/reclaim/reclaim.ts";
import { BLOCKS_PER_GROUP } from "../src/kernel/values/block-group.ts";
import { createTable } from "../src/local/create-table.ts";
import { startEmulator } from "../src/local/emulator.ts";
import { repair } from "../src/maintenance/repair/repair.ts";
import { runJobs } from "../src/maintenance/run-jobs.ts";
import { dynamoTable } from "../src/table/dynamodb-table.ts";
import { contextOf, dynamoClient } from "../src/wiring.ts";
import { fillGroup } from "./fill.ts";
import { meterOf } from "./meter.ts";
import { makePool } from "./pool.ts";

/** `npm run bench:idle`: prints the cost of the scheduled runs without any request, per minute and per month. */

const TABLE_NAME = "plat-idle";
const MINUTES_PER_MONTH = 30 * 24 * 60;
/** A scheduled run can keep a cursor for the next one, so the first runs differ from the others. */
const SCHEDULED_RUNS_BEFORE = 3;
const FULL_GROUPS = 8;
const LATER_MS = 4 * 60 * 60 * 1000;

const SCHEDULED_RUNS: Readonly<Record<string, (context: Context) => Promise<unknown>>> = {
  reclaim: byShard(reclaim),
  repair: byShard(repair),
  work: runJobs,
};

const emulator = await startEmulator({});
const client = dynamoClient(emulator.endpoint);
await createTable(client, TABLE_NAME);
const meter = meterOf(client);
let context = contextOf(dynamoTable(client, TABLE_NAME));

await measure("an empty table");
const pool = await makePool(context, { space: "default", name: "main", cidr: "10.0.0.0/16" });
await measure("a space with one pool, nothing assigned");
for (let group = 0n; group < FULL_GROUPS; group++) {
  await context.store.addGroup(pool.space, pool.id, group);
  await fillGroup(context, pool, group, 0);
}
context = { ...context, now: () => Date.now() + LATER_MS };
// They have no rows and no allocations, which the repair run would begin to mend.
await measure(`${BLOCKS_PER_GROUP * FULL_GROUPS} full blocks of 64, claimed some hours ago`, [
  "reclaim",
]);
await emulator.stop();

/** Runs all shards at once, as the schedules start them. */
function byShard(scheduledRun: (context: Context, shard: number) => Promise<unknown>) {
  return (context: Context) =>
    inParallel(EVERY_SHARD, SHARDS, (shard) => scheduledRun(context, shard));
}

async function measure(state: string, scheduledRuns = Object.keys(SCHEDULED_RUNS)): Promise<void> {
  const rows = [];
  for (const [scheduledRun, run] of Object.entries(SCHEDULED_RUNS)) {
    if (!scheduledRuns.includes(scheduledRun)) continue;
    for (let i = 0; i < SCHEDULED_RUNS_BEFORE; i++) await run(context);
    const { calls, inSequence, writeUnits, readUnits } = await meter.measure(() => run(context));
    const month = { "write units a month": writeUnits, "read units a month": readUnits };
    const monthly = Object.entries(month).map(([name, units]) => [name, units * MINUTES_PER_MONTH]);
    rows.push({
      scheduledRun,
      calls,
      "in sequence": inSequence,
      "write units": writeUnits,
      "read units": readUnits,
      ...Object.fromEntries(monthly),
    });
  }
  console.log(`${state}, each pass once a minute:`);
  console.table(rows);
}
