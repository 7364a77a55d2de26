import "../src/local/environment.ts";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BLOCKS_PER_HOST_MAX } from "../src/base/limits.ts";
import { Rejection } from "../src/base/outcome.ts";
import { assign } from "../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../src/kernel/assign/assignment.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { inParallel } from "../src/kernel/core/parallel.ts";
import { releaseHandle } from "../src/kernel/release/release-handle.ts";
import { hostId } from "../src/kernel/values/host.ts";
import { createTable } from "../src/local/create-table.ts";
import { startEmulator } from "../src/local/emulator.ts";
import { tableText } from "../src/local/tally.ts";
import { checkTable } from "../src/nouns/contents/operations/check-table.ts";
import { putSettings } from "../src/nouns/pool/operations/administration.ts";
import { SETTINGS_DEFAULT } from "../src/nouns/settings/settings.ts";
import { eachCall } from "../src/store/stack.ts";
import { dynamoTable } from "../src/table/dynamodb-table.ts";
import type { Table } from "../src/table/table.ts";
import { contextOf, dynamoClient } from "../src/wiring.ts";
import { inTurn, slowed } from "./one-machine.ts";
import { makePool } from "./pool.ts";

/**
 * `npm run bench:contention`: prints how often independent callers conflict. Every answer other than an assignment is
 * an error, also one that asks for a retry. While a pool has room, no request may be rejected.
 */

const TABLE_NAME = "plat-bench";
const CALLERS = 64;
const HOSTS = 500;
/** The maximum of slot writes for each assign, on average while the pool is at most half full. */
const SLOT_TRIES_MEAN_MAX = 1.3;
const CLAIM_TRIES_MEAN_MAX = 2;
const DECILES = 10;

const emulator = await startEmulator();
const admin = makeCaller(emulator.endpoint, TABLE_NAME);
await createTable(admin.client, TABLE_NAME);
const failures: string[] = [];

console.log(`${CALLERS} callers, each with an allocator of its own, fill a pool for one host.`);
console.log("Tries of the slot write for each assign, by how full the pool is:");
const fills = [
  await fillForOneHost("one block of 256", { cidr: "10.0.0.0/24", blockSize: 24, rounds: 4 }),
  await fillForOneHost("one block of 64", { cidr: "10.0.0.0/26", blockSize: 26, rounds: 8 }),
  await fillForOneHost("one block of 256, used before", {
    cidr: "10.0.0.0/24",
    blockSize: 24,
    rounds: 2,
    usedBefore: true,
  }),
  await fillForOneHost("eight blocks of 64", { cidr: "10.0.0.0/23", blockSize: 26, rounds: 1 }),
];
console.log(tableText(fills.map(({ row }) => row)));
console.log(
  `Up to half full: at most ${SLOT_TRIES_MEAN_MAX} in one block that was never used. Not judged: a block used before, where`,
  `\nonly the half that cooled longest is drawn from, and eight blocks, which ${CALLERS} callers fill one after the other, so that`,
  "\nthey race for the last addresses of a block at every fill of the pool.\n",
);
for (const { name, toHalf } of fills.slice(0, 2))
  if (toHalf > SLOT_TRIES_MEAN_MAX) failures.push(`${name}: ${toHalf.toFixed(2)} tries an assign`);

console.log(`${HOSTS} hosts ask for their first address at once.`);
const claims = [
  await claimAtOnce("/17, 512 blocks", "10.0.0.0/17"),
  await claimAtOnce("/16, 1,024 blocks", "10.0.0.0/16"),
  await claimAtOnce("/8, 262,144 blocks", "10.0.0.0/8"),
];
console.log(`${tableText(claims)}\n`);

const { violations } = await checkTable(admin.context);
for (const { invariant, message } of violations) failures.push(`${invariant}: ${message}`);

await emulator.stop();
const times = new Map<string, number>();
for (const failure of failures) times.set(failure, (times.get(failure) ?? 0) + 1);
for (const [failure, count] of times) console.error(`FAILED (${count}): ${failure}`);
if (failures.length === 0) console.log("No address was given twice, and nobody was told no.");
process.exit(failures.length === 0 ? 0 : 1);

/** Lets callers assign single addresses for one host until its pool is full, in a new pool each round. */
async function fillForOneHost(
  name: string,
  options: { cidr: string; blockSize: number; rounds: number; usedBefore?: boolean },
) {
  const tries: number[] = Array(DECILES).fill(0);
  const served: number[] = Array(DECILES).fill(0);
  let errors = 0;
  for (let round = 0; round < options.rounds; round++) {
    const space = `${name.replaceAll(/\W/g, "-")}-${round}`;
    const capacity = 2 ** (32 - Number(options.cidr.split("/")[1]));
    await makePool(
      admin.context,
      { space, name: "pool", cidr: options.cidr },
      { blockSize: options.blockSize },
    );
    const settings = { ...SETTINGS_DEFAULT, maxBlocksPerHost: BLOCKS_PER_HOST_MAX };
    await putSettings(admin.context, space, settings, undefined);
    if (options.usedBefore) await useAll(space, capacity);

    const callers = Array.from({ length: CALLERS }, () =>
      makeCaller(emulator.endpoint, TABLE_NAME),
    );
    const held = new Set<string>();
    let left = capacity;
    await inParallel(callers, CALLERS, async (caller) => {
      while (left > 0) {
        left--;
        caller.writes.clear();
        const address = await assignOne(caller, requestOf(space, "node-1", `pod-${left}`));
        if (address === undefined || held.has(address)) {
          errors++;
          continue;
        }
        const decile = Math.floor((DECILES * held.size) / capacity);
        held.add(address);
        tries[decile] = (tries[decile] ?? 0) + (caller.writes.get("take-slots") ?? 0);
        served[decile] = (served[decile] ?? 0) + 1;
      }
    });
    for (const { client } of callers) client.destroy();
  }
  if (errors > 0) failures.push(`${name}: ${errors} errors`);
  const mean = (from: number, to: number) =>
    sum(tries.slice(from, to)) / sum(served.slice(from, to));
  const toHalf = mean(0, DECILES / 2);
  const deciles = tries.map((_, i) => [
    `${(100 / DECILES) * (i + 1)} %`,
    mean(i, i + 1).toFixed(2),
  ]);
  const row = {
    pool: name,
    assigns: sum(served),
    errors,
    ...Object.fromEntries(deciles),
    "up to half": toHalf.toFixed(2),
  };
  return { name, toHalf, row };
}

/** Assigns and frees every address of the pool once. */
async function useAll(space: string, capacity: number): Promise<void> {
  const pods = Array.from({ length: capacity }, (_, i) => `earlier-${i}`);
  await inParallel(pods, 1, (pod) => assignOne(admin, requestOf(space, "node-1", pod)));
  await inParallel(pods, 8, (pod) => releaseHandle(admin.context, space, pod));
}

async function claimAtOnce(pool: string, cidr: string) {
  const space = `at-once-${cidr.split("/")[1]}`;
  await makePool(admin.context, { space, name: "pool", cidr });
  const callers = Array.from({ length: HOSTS }, () => makeCaller(emulator.endpoint, TABLE_NAME));
  const addresses = await inParallel([...callers.entries()], HOSTS, ([i, caller]) =>
    assignOne(caller, requestOf(space, `node-${i}`, `pod-${i}`)),
  );
  for (const { client } of callers) client.destroy();
  const told = addresses.filter((address) => address !== undefined);
  const errors = HOSTS - new Set(told).size;
  const tries = callers.map(({ writes }) => writes.get("create-block") ?? 0);
  const mean = sum(tries) / HOSTS;
  if (errors > 0) failures.push(`${pool}: ${errors} errors`);
  if (mean > CLAIM_TRIES_MEAN_MAX) failures.push(`${pool}: ${mean.toFixed(2)} claim tries a host`);
  return {
    pool,
    hosts: HOSTS,
    errors,
    "claim tries a host": `${mean.toFixed(2)} (≤ ${CLAIM_TRIES_MEAN_MAX})`,
    most: Math.max(...tries),
  };
}

/** Assigns an address; if that fails, it counts the reason and returns nothing. */
async function assignOne({ context }: Caller, request: AssignRequest): Promise<string | undefined> {
  try {
    const answer = await assign(context, request);
    if (!(answer instanceof Rejection)) return answer.addresses[0]?.address;
    failures.push(`${request.space}: ${answer.code}: ${answer.detail}`);
  } catch (error) {
    failures.push(`${request.space}: ${error}`);
  }
  return undefined;
}

function requestOf(space: string, host: string, handle: string): AssignRequest {
  return {
    space,
    host: hostId("host", host),
    wanted: [{ family: 4, count: 1 }],
    handle,
    attributes: {},
    pools: ["pool"],
    digest: "digest",
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** One caller: an allocator with its own client and warm cache. Its writes are counted by their step. */
interface Caller {
  readonly context: Context;
  readonly writes: Map<string, number>;
  readonly client: DynamoDBClient;
}

function makeCaller(endpoint: string, tableName: string): Caller {
  const client = dynamoClient(endpoint);
  const writes = new Map<string, number>();
  const table = eachCall(dynamoTable(client, tableName), inTurn);
  return { client, writes, context: slowed(contextOf(counted(table, writes))) };
}

function counted(table: Table, writes: Map<string, number>): Table {
  return {
    ...table,
    write(write) {
      writes.set(write.step, (writes.get(write.step) ?? 0) + 1);
      return table.write(write);
    },
  };
}
