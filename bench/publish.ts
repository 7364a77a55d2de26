import "../src/local/environment.ts";
import { gzipSync } from "node:zlib";
import { Rejection } from "../src/base/outcome.ts";
import { assign } from "../src/kernel/assign/assign.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { releaseHandle } from "../src/kernel/release/release-handle.ts";
import { hostId } from "../src/kernel/values/host.ts";
import { type DomainEvent, eventBody } from "../src/publish/domain-event.ts";
import { publisher } from "../src/publish/publisher.ts";
import type { TrailLine } from "../src/publish/trail-line.ts";
import { trailObjectsOf } from "../src/publish/trail-object.ts";
import { ChangeLog, InMemoryFeed } from "../src/table/change-log.ts";
import { InMemoryTable } from "../src/table/in-memory-table.ts";
import type { Item } from "../src/table/item.ts";
import type { Table } from "../src/table/table.ts";
import { contextsOver } from "../src/wiring.ts";
import { itemBytes } from "../test/store/item-bytes.ts";
import { makePool } from "./pool.ts";

/**
 * `npm run bench:publish`: what the publisher makes of assigns and releases, for each pair of them, and what a million
 * pairs a day cost in a month.
 */

const PAIRS = 5_000;
/** As many pods as are up at a time. */
const PODS = 2_000;
const HOSTS = 100;
/** The changes that a shard has in a second with a million pairs a day and four shards. */
const BATCH_CHANGES = 12;
const SHARDS = 4;
const PAIRS_A_MONTH = 30_000_000;
const SECONDS_A_MONTH = 30 * 86_400;
/** DynamoDB stores this beside each item (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html). */
const ITEM_BYTES = 100;
const ACTOR = {
  principal:
    "arn:aws:sts::123456789012:assumed-role/AWSReservedSSO_PlatCaller_0123456789abcdef/provisioner",
  sourceIp: "203.0.113.7",
};

const feed = new InMemoryFeed(new ChangeLog(Date.now));
const contexts = contextsOver(new InMemoryTable(feed));
const context = contexts({});
const history = metered(new InMemoryTable());
const counts = { changes: 0, events: 0, eventBytes: 0, lines: 0, lineBytes: 0, objectBytes: 0 };
const publish = publisher(
  {
    putEvents: async (events: readonly DomainEvent[]) => {
      counts.events += events.length;
      for (const event of events)
        counts.eventBytes += Buffer.byteLength(JSON.stringify(eventBody(event)));
    },
    putTrail: async (lines: readonly TrailLine[]) => {
      counts.lines += lines.length;
      for (const { text } of trailObjectsOf(lines)) {
        counts.lineBytes += Buffer.byteLength(text);
        counts.objectBytes += gzipSync(text).length;
      }
    },
    putDeadLetter: async (_, error) => {
      throw error;
    },
    history: history.table,
    store: context.store,
  },
  { now: Date.now, historyKeptMs: 90 * 86_400_000 },
);

await makePool(context, { space: "default", name: "main", cidr: "10.0.0.0/16" });
for (let n = 0; n < PODS; n++) await assigned(n);
await published();
Object.assign(counts, { changes: 0, events: 0, eventBytes: 0, lines: 0 });
Object.assign(counts, { lineBytes: 0, objectBytes: 0 });
history.reset();

const startedMs = performance.now();
let publishingMs = 0;
for (let n = 0; n < PAIRS; n++) {
  await assigned(PODS + n);
  await released(n);
  const beganMs = performance.now();
  await published();
  publishingMs += performance.now() - beganMs;
}

console.log(
  `${PAIRS} pairs of an assign and a release, in ${seconds(performance.now() - startedMs)} s, of which ${seconds(publishingMs)} s to publish.`,
);
const perPair = (count: number) => Math.round((count / PAIRS) * 100) / 100;
console.table({
  changes: perPair(counts.changes),
  events: perPair(counts.events),
  "bytes of an event": Math.round(counts.eventBytes / counts.events),
  lines: perPair(counts.lines),
  "bytes of a line": Math.round(counts.lineBytes / counts.lines),
  "compressed bytes of a line": Math.round(counts.objectBytes / counts.lines),
  "write units of the history": perPair(history.counts.writeUnits),
  "read units of the history": perPair(history.counts.readUnits),
  "bytes in the history, for 90 days": perPair(history.counts.byteDays / 90),
});

const GB = 1e9;
const monthly = (count: number) => (count / PAIRS) * PAIRS_A_MONTH;
const objects = SHARDS * SECONDS_A_MONTH;
const rows: readonly (readonly [string, number])[] = [
  ["EventBridge, $1.00 a million", monthly(counts.events) / 1e6],
  ["history, writes, $0.625 a million", (monthly(history.counts.writeUnits) / 1e6) * 0.625],
  ["history, reads, $0.125 a million", (monthly(history.counts.readUnits) / 1e6) * 0.125],
  ["history, kept, $0.25 a GB", (monthly(history.counts.byteDays / 30) / GB) * 0.25],
  ["S3, one object a second for each shard, $5.00 a million", (objects / 1e6) * 5],
  ["S3, the lines of a month, $0.023 a GB", (monthly(counts.objectBytes) / GB) * 0.023],
  ["Lambda, requests, $0.20 a million", (objects / 1e6) * 0.2],
  ["Lambda, 0.1 s of 0.5 GB each, $0.0000133334 a GB-s", objects * 0.1 * 0.5 * 0.0000133334],
  ["CloudWatch Logs, 0.4 KB each, $0.50 a GB", ((objects * 400) / GB) * 0.5],
];
const total = rows.reduce((sum, [, dollars]) => sum + dollars, 0);
console.table(
  Object.fromEntries(
    [...rows, ["together", total] as const].map(([what, d]) => [what, d.toFixed(2)]),
  ),
);

async function assigned(n: number): Promise<void> {
  const answer = await assign(contextFor(n), {
    space: "default",
    host: hostId("host", `ip-10-1-${n % HOSTS}-1.eu-central-1.compute.internal`),
    wanted: [{ family: 4, count: 1 }],
    handle: handleOf(n),
    pools: [],
    digest: String(n),
    attributes: { pod: `web-6d4b75cb6d-${n}`, namespace: "production" },
  });
  if (answer instanceof Rejection) throw new Error(answer.detail);
}

function released(n: number) {
  return releaseHandle(contextFor(n), "default", handleOf(n));
}

function handleOf(n: number): string {
  return `k8s-pod-network.${String(n).padStart(64, "0")}`;
}

/** Returns the context of a request by a session of a role. */
function contextFor(n: number): Context {
  const requestId = `4c318d42-8366-4158-95e1-${String(n).padStart(12, "0")}`;
  return contexts({ actor: { ...ACTOR, requestId } });
}

/** Publishes what waits, in batches of the size that a shard would have. */
async function published(): Promise<void> {
  for (;;) {
    const changes = feed.first(BATCH_CHANGES);
    const last = changes.at(-1);
    if (!last || changes.length < BATCH_CHANGES) return;
    await publish(changes);
    counts.changes += changes.length;
    await feed.forget(last.sequence);
  }
}

/** Returns a table that counts the units of its calls, and the bytes of items that expire. */
function metered(table: Table) {
  const counted = { writeUnits: 0, readUnits: 0, byteDays: 0 };
  const kb = (item: Item | undefined, size: number) =>
    Math.max(1, Math.ceil((item ? itemBytes(item) : 0) / size));
  const through: Table = {
    ...table,
    async get(key, options) {
      const item = await table.get(key, options);
      counted.readUnits += kb(item, 4_096);
      return item;
    },
    async query(pk, options) {
      const items = await table.query(pk, options);
      const bytes = items.reduce((sum, item) => sum + itemBytes(item), 0);
      counted.readUnits += Math.max(1, Math.ceil(bytes / 4_096));
      return items;
    },
    async write(write) {
      const { change } = write;
      const item = change.kind === "put" ? change.item : undefined;
      counted.writeUnits += kb(item, 1_024);
      const days = (Number(item?.expires) - Date.now() / 1_000) / 86_400;
      if (item && days > 0) counted.byteDays += (itemBytes(item) + ITEM_BYTES) * days;
      return table.write(write);
    },
    scan: (limit, options) => table.scan(limit, options),
    due: (shard, options) => table.due(shard, options),
  };
  return {
    table: through,
    counts: counted,
    reset: () => void Object.assign(counted, { writeUnits: 0, readUnits: 0, byteDays: 0 }),
  };
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
