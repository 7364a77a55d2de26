import "../../src/local/environment.ts";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { EFFECTIVE_MS_MAX } from "../../src/base/limits.ts";
import { functionsOver } from "../../src/local/functions.ts";
import { type Handlers, serve } from "../../src/local/server.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { wiringOver } from "../../src/wiring.ts";

/**
 * A server for the tests of the Terraform provider, in memory. It takes orders from its standard input, a line each, and
 * answers `done` with the order:
 *
 * - `advance SECONDS` moves its clock, which its answers tell in `Date`
 * - `work` executes the scheduled runs
 *
 * With `--stale`, the functions that assign use a copy of the configuration until it is 18 s old, as one in AWS may.
 */
const { values } = parseArgs({ options: { stale: { type: "boolean", default: false } } });

const startedAtMs = Date.now();
let advancedMs = 0;
const now = () => Date.now() + advancedMs;
const table = new InMemoryTable();
const { handlers, scheduledRuns } = functionsOver(wiringOver(table, { now }));
/** Stands still for as long as a copy can be in use, so the copy looks fresh until then. */
const halting = () =>
  startedAtMs + Math.floor((now() - startedAtMs) / EFFECTIVE_MS_MAX) * EFFECTIVE_MS_MAX;
const late = functionsOver(wiringOver(table, { now: halting })).handlers;

const served = values.stale ? { ...handlers, assign: late.assign, batch: late.batch } : handlers;
const dated = Object.entries(served).map(([name, handler]): [string, typeof handler] => [
  name,
  async (event) => {
    const reply = await handler(event);
    return { ...reply, headers: { ...reply.headers, date: new Date(now()).toUTCString() } };
  },
]);
const { url } = await serve(Object.fromEntries(dated) as unknown as Handlers, { port: 0 });
console.log(`Plat listens on ${url}`);

const ORDERS: Readonly<Record<string, (seconds: number) => Promise<void> | void>> = {
  advance: (seconds) => {
    advancedMs += seconds * 1_000;
  },
  work: async () => {
    await scheduledRuns.reclaim();
    await scheduledRuns.repair();
    await scheduledRuns.work();
  },
};
for await (const line of createInterface(process.stdin)) {
  const [order = "", seconds] = line.split(" ");
  await ORDERS[order]?.(Number(seconds));
  console.log(`done ${line}`);
}
process.exit(0);
