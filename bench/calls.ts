import "../src/local/environment.ts";
import { createTable } from "../src/local/create-table.ts";
import { startEmulator } from "../src/local/emulator.ts";
import { dynamoTable } from "../src/table/dynamodb-table.ts";
import { contextOf, dynamoClient } from "../src/wiring.ts";
import type { Budget } from "../test/operations/measured.ts";
import { measureApplications } from "./applications.ts";
import { measureBatch } from "./batch.ts";
import { measureCilium } from "./cilium.ts";
import { type Cost, meterOf } from "./meter.ts";
import { measureNodeEvents } from "./node-events.ts";
import { FILLS, type Line, measureSite, SIZES } from "./operations.ts";
import { measurePrefixes } from "./prefixes.ts";
import { measureRanged } from "./ranged-pools.ts";
import { measureSearches } from "./searches.ts";

/**
 * `npm run bench:calls`: prints the cost of every operation at the SDK client beside its budget, in pools of every size
 * and fill.
 */

const TABLE_NAME = "plat-bench";

const emulator = await startEmulator({});
const client = dynamoClient(emulator.endpoint);
await createTable(client, TABLE_NAME);
// The clock does not move, so a slow machine does not make a copy of the configuration stale, except in rows that say
// so.
const startedAtMs = Date.now();
/** A caller as IAM and API Gateway name it: a session of a role, a request, and where it came from. */
const CALLER = {
  principal: "arn:aws:sts::123456789012:assumed-role/plat-provisioner/i-0123456789abcdef0",
  requestId: "JKJaXmPLvHcESHA=",
  sourceIp: "203.0.113.100",
};
const bench = {
  meter: meterOf(client),
  cold: () => ({
    ...contextOf(dynamoTable(client, TABLE_NAME), undefined, { actor: CALLER }),
    now: () => startedAtMs,
  }),
};
const lines: Line[] = [];
for (const size of SIZES)
  for (const fill of FILLS) lines.push(...(await measureSite(bench, size, fill)));
lines.push(
  ...(await measureRanged(bench)),
  ...(await measureApplications(bench)),
  ...(await measurePrefixes(bench)),
  ...(await measureNodeEvents(bench)),
  ...(await measureCilium(bench)),
  ...(await measureSearches(bench)),
  ...(await measureBatch(bench)),
);
await emulator.stop();

console.table(
  lines.map(({ operation, size, fill, cost, budget }) => ({
    operation,
    pool: size,
    full: fill,
    "in sequence": `${cost.inSequence} (≤ ${budget[0]})`,
    "write units": `${cost.writeUnits} (≤ ${budget[1]})`,
    "read units": `${cost.readUnits} (≤ ${budget[2]})`,
  })),
);
console.log(`How full: where the block is known it is the block that is filled, for its size is what counts: one address of 64 is
taken, then 32, then 63. Where a block is looked for it is the pool: nearly empty, then half of the blocks taken in each block group
looked at, then the largest fill at which a claim can still succeed: all block groups but three are called full, and of these the
last has one free block. A /48 is filled in its first 4,096 block groups, where all hosts start.
Not measured: 64 addresses in one block and the rows of a full pool have one fill each. A /48 is never full, so nobody is
refused there, and nobody borrows. The first address of an empty pool is claimed like any other.`);
const over = lines.filter(({ cost, budget }) => exceeded(cost, budget));
console.log(over.length === 0 ? "Every operation is within its budget." : "OVER BUDGET:");
for (const { operation, size, fill } of over) console.log(`  ${operation}, ${size}, ${fill}`);
process.exitCode = over.length === 0 ? 0 : 1;

function exceeded(cost: Cost, [inSequence, writeUnits, readUnits]: Budget): boolean {
  return cost.inSequence > inSequence || cost.writeUnits > writeUnits || cost.readUnits > readUnits;
}
