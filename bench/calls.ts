import "../src/local/environment.ts";
import { putPool } from "../src/allocator/administration.ts";
import { type Assignment, type AssignRequest, assign } from "../src/allocator/assign.ts";
import type { Context } from "../src/allocator/context.ts";
import { releaseAddress, releaseHandle } from "../src/allocator/release.ts";
import { parseAddress } from "../src/domain/address.ts";
import { parseCidr } from "../src/domain/cidr.ts";
import { parseGeneration } from "../src/domain/generation.ts";
import { handleHash } from "../src/domain/hash.ts";
import { hostId } from "../src/domain/host.ts";
import { Refusal } from "../src/domain/outcome.ts";
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

for (const pool of POOLS) {
  const cidr = parseCidr(pool.cidr);
  if (!cidr.ok) throw new Error(cidr.problem);
  const spec = {
    cidr: cidr.value,
    blockSize: pool.family === 4 ? 26 : 122,
    disabled: false,
    assignmentMode: "Automatic",
    allowedUses: ["Workload"],
    cooldownSeconds: 0,
  } as const;
  await putPool(cold(), "default", pool.name, spec, undefined);
}
for (const pool of POOLS) await measurePool(pool);
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
    family,
    count: 1,
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
    assigned(whole, request("g", { count: 64 })),
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

async function assigned(context: Context, request: AssignRequest): Promise<Assignment> {
  const answer = await assign(context, request);
  if (answer instanceof Refusal) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
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
