import "../src/local/environment.ts";
import { randomBytes } from "node:crypto";
import { putPool } from "../src/allocator/administration.ts";
import { assign } from "../src/allocator/assign.ts";
import type { Assignment, AssignRequest } from "../src/allocator/assignment.ts";
import { type Context, fresh } from "../src/allocator/context.ts";
import { inParallel } from "../src/allocator/parallel.ts";
import { releaseAddress, releaseHandle } from "../src/allocator/release.ts";
import { parseAddress } from "../src/domain/address.ts";
import { capacityOf } from "../src/domain/block.ts";
import { blocksOfCell, cellAt, cellCount, cellOrder } from "../src/domain/cell.ts";
import { parseCidr } from "../src/domain/cidr.ts";
import { shuffled } from "../src/domain/fresh.ts";
import { parseGeneration } from "../src/domain/generation.ts";
import { handleHash } from "../src/domain/hash.ts";
import { hostId } from "../src/domain/host.ts";
import { CELL_LOOKS_MAX } from "../src/domain/limits.ts";
import { Refusal } from "../src/domain/outcome.ts";
import type { Pool } from "../src/domain/pool.ts";
import { createTable } from "../src/local/create-table.ts";
import { startEmulator } from "../src/local/emulator.ts";
import { dynamoTable } from "../src/store/dynamo.ts";
import { contextOf, dynamoClient } from "../src/wiring.ts";
import { type Cost, meterOf } from "./meter.ts";

/** The most that an operation may cost: calls in sequence, write units, read units. */
type Budget = readonly [inSequence: number, writeUnits: number, readUnits: number];

interface Line {
  readonly operation: string;
  readonly pool: string;
  readonly cost: Cost;
  readonly budget: Budget;
}

const POOLS = [
  { name: "v4-20", cidr: "10.0.0.0/20", family: 4 },
  { name: "v4-8", cidr: "11.0.0.0/8", family: 4 },
  { name: "v6-48", cidr: "2001:db8::/48", family: 6 },
] as const;
const CROWDED = [
  { name: "crowded-20", cidr: "12.0.0.0/20" },
  { name: "crowded-8", cidr: "13.0.0.0/8" },
] as const;
const TABLE_NAME = "plat-bench";
/** Older than a copy of the configuration may be unasked. */
const CONFIGURATION_AGE_MS = 7_000;

const emulator = await startEmulator({});
const client = dynamoClient(emulator.endpoint);
await createTable(client, TABLE_NAME);
const meter = meterOf(client);
const cold = (): Context => contextOf(dynamoTable(client, TABLE_NAME));
const lines: Line[] = [];
let names = 0;

for (const pool of [...POOLS, ...CROWDED]) {
  const cidr = readCidr(pool.cidr);
  const spec = {
    cidr,
    blockSize: cidr.family === 4 ? 26 : 122,
    disabled: false,
    assignmentMode: "Automatic",
    allowedUses: ["Workload"],
    borrowing: "allowed",
    cooldownSeconds: 0,
  } as const;
  await putPool(cold(), "default", pool.name, spec, undefined);
}
for (const pool of POOLS) await measurePool(pool);
await measureBothFamilies();
for (const pool of CROWDED) await measureCrowded(pool);
await emulator.stop();

const over = lines.filter(({ cost, budget }) => exceeded(cost, budget));
console.table(
  lines.map(({ operation, pool, cost, budget }) => ({
    operation,
    pool,
    calls: cost.calls,
    "in sequence": `${cost.inSequence} (≤ ${budget[0]})`,
    "write units": `${cost.writeUnits} (≤ ${budget[1]})`,
    "read units": `${cost.readUnits} (≤ ${budget[2]})`,
  })),
);
console.log(over.length === 0 ? "every operation is within its budget" : "OVER BUDGET:");
for (const { operation, pool } of over) console.log(`  ${operation}, ${pool}`);
process.exitCode = over.length === 0 ? 0 : 1;

async function measurePool({ name: pool, family }: (typeof POOLS)[number]): Promise<void> {
  const measured = async (operation: string, budget: Budget, act: () => Promise<unknown>) => {
    const cost = await meter.measure(act);
    lines.push({ operation, pool, cost, budget });
  };
  const request = (host: string, more: Partial<AssignRequest> = {}): AssignRequest => ({
    space: "default",
    host: hostId("host", `${pool}-${host}`),
    wanted: [{ family, count: 1 }],
    handle: `handle-${names++}`,
    attributes: { pod: "web-0", namespace: "shop" },
    pools: [pool],
    digest: "digest",
    ...more,
  });
  const keyed = () => ({ keyId: handleHash(`key-${names++}`) });

  const warm = cold();
  await assigned(warm, request("a"));
  await measured("assign, warm, block nearly empty", [2, 3, 0], () => assigned(warm, request("a")));
  await measured("assign with a key, warm", [2, 3, 0], () => assigned(warm, request("a", keyed())));
  for (let n = 3; n < 32; n++) await assigned(warm, request("a"));
  await measured("assign, warm, block half full", [2, 3, 0], () => assigned(warm, request("a")));
  for (let n = 33; n < 63; n++) await assigned(warm, request("a"));
  let last: Assignment | undefined;
  await measured("assign, warm, last address of the block", [2, 3, 0], async () => {
    last = await assigned(warm, request("a"));
  });

  await assigned(cold(), request("b"));
  const unseen = cold();
  await assigned(unseen, request("c"));
  await measured("assign, warm function, host not seen before", [4, 3, 3], () =>
    assigned(unseen, request("b")),
  );
  const another = cold();
  await assigned(another, request("c"));
  await measured("assign, warm function, host not seen before, with a key", [4, 3, 3], () =>
    assigned(another, request("b", keyed())),
  );
  await measured("assign, cold function", [4, 3, 4 + 1], () => assigned(cold(), request("b")));

  const claiming = cold();
  await assigned(claiming, request("d"));
  await measured("assign that must claim a block", [8, 9, 32], () =>
    assigned(claiming, request("e")),
  );
  await measured("assign that must claim a block, cold function", [8, 9, 32 + 1], () =>
    assigned(cold(), request("f")),
  );
  const whole = cold();
  await give(whole, await assigned(whole, request("g")));
  await measured("assign 64 addresses in one block, warm", [2, 4, 0], () =>
    assigned(whole, request("g", { wanted: [{ family, count: 64 }] })),
  );
  const refreshed = cold();
  await assigned(refreshed, request("k"));
  const later = (ages: number): Context => ({
    ...refreshed,
    now: () => Date.now() + ages * CONFIGURATION_AGE_MS,
  });
  await assigned(later(1), request("k"));
  await measured("assign, warm, configuration read 7 s ago", [3, 3, 1], () =>
    assigned(later(2), request("k")),
  );
  // In a block that is full but for one: the largest item a release can meet.
  const worst = (more: Partial<AssignRequest> = {}) => assigned(warm, request("a", more));
  if (last) await give(warm, last);
  const lone = await worst();
  await measured("release by address and generation, no key", [2, 3, 0], () => give(warm, lone));
  const once = await worst(keyed());
  await measured("release by address and generation, with a key", [2, 4, 0], () =>
    give(warm, once),
  );
  const whose = await worst();
  await measured("release by handle, one record without a key", [3, 3, 1], () =>
    releaseHandle(warm, "default", whose.handle),
  );
  const other = await worst(keyed());
  await measured("release by handle, a keyed record", [5, 4, 2], () =>
    releaseHandle(warm, "default", other.handle),
  );
}

async function measureBothFamilies(): Promise<void> {
  const context = cold();
  const request: AssignRequest = {
    space: "default",
    host: hostId("host", "both"),
    wanted: [
      { family: 4, count: 1 },
      { family: 6, count: 1 },
    ],
    handle: "handle-both",
    attributes: {},
    pools: ["v4-20", "v6-48"],
    digest: "digest",
  };
  await assigned(context, request);
  const cost = await meter.measure(() => assigned(context, { ...request, handle: "second" }));
  lines.push({
    operation: "assign one v4 and one v6, warm",
    pool: "both",
    cost,
    budget: [3, 6, 0],
  });
}

/**
 * A pool that is 99 % full, and then full: its map calls all but a few cells full, and the cells that the next host looks
 * at hold full blocks. Filling the rest of a /8 would change nothing of what is measured: nobody reads it.
 */
async function measureCrowded({ name }: (typeof CROWDED)[number]): Promise<void> {
  const context = cold();
  const pool = (await context.store.readSpace("default")).pools.find((pool) => pool.name === name);
  if (!pool) throw new Error(`there is no pool ${name}`);
  const host = hostId("host", `${name}-late`);
  const count = Number(cellCount(pool));
  const order = [...cellOrder(pool, host)];
  // The last of the cells that the host may look at has one free block; the others are full and not called so.
  const open = order.slice(0, Math.min(CELL_LOOKS_MAX, count));
  for (const index of order) {
    await context.store.addCell("default", pool.id, index);
    if (!open.includes(index)) await context.store.markFull("default", pool.id, index);
  }
  for (const [i, index] of open.entries())
    await fill(context, pool, index, i === open.length - 1 ? 1 : 0);
  const request: AssignRequest = {
    space: "default",
    host,
    wanted: [{ family: 4, count: 1 }],
    handle: `handle-${name}`,
    attributes: {},
    pools: [name],
    digest: "digest",
  };
  const claim = await meter.measure(() => assigned(cold(), request));
  lines.push({
    operation: "assign that must claim a block, 99 % full, cold",
    pool: name,
    cost: claim,
    budget: [12, 10, 61],
  });
  await assigned(cold(), { ...request, wanted: [{ family: 4, count: 63 }], handle: "the-rest" });
  // From here on the pool is full, and a look goes where the first draw of the random source sends it.
  const still = { fraction: () => 0, bytes: (n: number) => randomBytes(n) };
  for (const index of order) await context.store.markFull("default", pool.id, index);
  const { cells } = await context.store.readPoolMap("default", pool.id, { consistent: true });
  for (const index of shuffled([...cells], still).slice(0, CELL_LOOKS_MAX))
    await fill(context, pool, index, 0);
  const late: AssignRequest = { ...request, host: hostId("host", `${name}-too-late`) };
  const refused = await meter.measure(async () => {
    const answer = await assign({ ...cold(), random: still }, late);
    if (!(answer instanceof Refusal)) throw new Error("a full pool gave an address");
  });
  lines.push({
    operation: "assign that is refused because the pool is full, cold",
    pool: name,
    cost: refused,
    budget: [12, 1, 61],
  });
}

/** Puts full blocks into all of a cell but for some; what stands there already stays. */
async function fill(context: Context, pool: Pool, index: bigint, left: number): Promise<void> {
  const blocks = blocksOfCell(pool, cellAt(pool, index));
  await inParallel(blocks.slice(left), 16, (cidr) => {
    const slot = { kind: "taken", token: fresh(context), handleHash: handleHash("full") } as const;
    const slots = new Map(Array.from({ length: capacityOf({ cidr }) }, (_, n) => [n, slot]));
    return context.store.createBlock({
      space: "default",
      cidr,
      pool: pool.name,
      poolId: pool.id,
      host: hostId("host", "somebody"),
      claimedAtMs: context.now(),
      slots,
      epoch: fresh(context),
      revision: fresh(context),
    });
  });
}

async function assigned(context: Context, request: AssignRequest): Promise<Assignment> {
  const answer = await assign(context, request);
  if (answer instanceof Refusal) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

function readCidr(text: string) {
  const cidr = parseCidr(text);
  if (!cidr.ok) throw new Error(cidr.problem);
  return cidr.value;
}

async function give(context: Context, { addresses: [first] }: Assignment): Promise<void> {
  const address = parseAddress(first?.address ?? "");
  const generation = parseGeneration(first?.generation ?? "");
  if (!address.ok || !generation.ok) throw new Error("an answer that cannot be given back");
  const proof = { address: address.value, generation: generation.value };
  const { status } = await releaseAddress(context, "default", proof);
  if (status !== "released") throw new Error(`the release answered ${status}`);
}

function exceeded(cost: Cost, [inSequence, writeUnits, readUnits]: Budget): boolean {
  return cost.inSequence > inSequence || cost.writeUnits > writeUnits || cost.readUnits > readUnits;
}
