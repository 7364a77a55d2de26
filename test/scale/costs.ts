import { EVERY_SHARD } from "../../src/base/hash.ts";
import { releaseAddress } from "../../src/kernel/release/release-address.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { SWEEP_MS } from "../../src/kernel/values/sweep.ts";
import { itemBytes } from "../store/item-bytes.ts";
import { drafted } from "./drafts.ts";
import { putAssignedSpace } from "./facts/spaces.ts";
import { type Cloud, LambdaFunction } from "./lambda.ts";
import { MEMORY_MB, PROCESSOR_MB } from "./model.ts";
import { addressIn, expectServed, requestOf } from "./requests.ts";
import { COLLECT, minutesUntil, RECLAIM, type Runs, WORK } from "./runs.ts";
import { newCloud } from "./scene.ts";

/**
 * List prices in US East (N. Virginia), in dollars, as known on 22 November 2026:
 * https://aws.amazon.com/dynamodb/pricing/on-demand/, https://aws.amazon.com/lambda/pricing/,
 * https://aws.amazon.com/eventbridge/pricing/, https://aws.amazon.com/api-gateway/pricing/
 */
const PRICES = {
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  /** Includes point-in-time recovery. */
  storedGbMonth: 0.25 + 0.2,
  /** The price for arm64. */
  lambdaGbSecond: 0.0000133334,
  lambdaRequest: 0.2e-6,
  schedulerInvocation: 1e-6,
  /** The price of a REST API, for the first 333 million requests in a month. */
  apiRequest: 3.5e-6,
} as const;

const MINUTES_PER_MONTH = 30 * 24 * 60;
/**
 * The bytes that DynamoDB stores besides an item
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html).
 */
const STORED_BESIDE_BYTES = 100;
const SPACE = "default";
/** A pool with room for a hundred million addresses. */
const CIDR = "64.0.0.0/5";
/** The number of measured minutes. The minute before them is not measured. */
const MINUTES = 2;
const PAIRS = 200;
/** The number of partitions of each kind whose items are measured. */
const SAMPLES = 200;
const ADDRESSES_PER_GROUP = 4_096;
/** The executions in a minute. */
const SCHEDULES = RECLAIM.length + COLLECT.length + WORK.length;

/** The costs of a table with this many addresses, all assigned, each to its own handle. */
export interface Costs {
  readonly addresses: number;
  readonly items: number;
  readonly partitions: number;
  readonly gigabytes: number;
  /** The units of all schedules, in a minute without a request. */
  readonly readUnitsPerMinute: number;
  readonly writeUnitsPerMinute: number;
  /** The longest run of any schedule. */
  readonly longestRunSeconds: number;
  /** The minutes until reclaim returns to a block. */
  readonly reclaimRoundMinutes: number;
  /** The same for functions with a whole processor. */
  readonly reclaimRoundMinutesWithProcessor: number;
  /** Dollars in a month. */
  readonly restPerMonth: number;
  readonly storagePerMonth: number;
  /**
   * The units of an assign and its release by warm functions; `perMillionPairs` has the dollars of
   * a million pairs.
   */
  readonly writeUnitsPerPair: number;
  readonly readUnitsPerPair: number;
  readonly perMillionPairs: number;
  /** An assign for a host without a block: calls and read units. */
  readonly claimCalls: number;
  readonly claimReadUnits: number;
}

/** Measures a table with this many addresses, at rest and under load. */
export async function costsOf(addresses: number): Promise<Costs> {
  const cloud = await newCloud();
  putAssignedSpace(cloud.items, SPACE, CIDR, addresses);
  const { items, partitions, bytes } = cloud.items.census(SAMPLES, itemBytes);
  putMidway(cloud, items);
  const gigabytes = (bytes + items * STORED_BESIDE_BYTES) / 1e9;
  return cloud.clock.run(async () => ({
    addresses,
    items,
    partitions,
    gigabytes,
    storagePerMonth: gigabytes * PRICES.storedGbMonth,
    ...(await restOf(cloud, Math.ceil(addresses / ADDRESSES_PER_GROUP))),
    reclaimRoundMinutesWithProcessor: await roundOf(
      { ...cloud, memoryMb: PROCESSOR_MB },
      Math.ceil(addresses / ADDRESSES_PER_GROUP),
    ),
    ...(await pairsOf(cloud)),
    ...(await claimOf(cloud)),
  }));
}

type Measured = Awaited<ReturnType<typeof newCloud>>;

/**
 * Puts the repair run in the middle of its walk over each segment, with a known length of the last
 * walk.
 */
function putMidway({ clock, items }: Measured, count: number): void {
  const itemsBefore = Math.ceil(count / EVERY_SHARD.length);
  const sweep = { beganAtMs: clock.nowMs - SWEEP_MS / 4, items: Math.ceil(itemsBefore / 4) };
  for (const shard of EVERY_SHARD)
    items.put(drafted((store) => store.writeProgress(shard, { itemsBefore, sweep })));
}

/** Measures the schedules without any request. */
async function restOf(cloud: Measured, groups: number) {
  const runs: Runs = { executions: [] };
  let before = cloud.table.capacity.total();
  await minutesUntil(
    cloud,
    [...RECLAIM, ...COLLECT, ...WORK],
    1 + MINUTES,
    () => {
      if (runs.executions.length > SCHEDULES) return false;
      // The first minute has the cold starts.
      before = cloud.table.capacity.total();
      return false;
    },
    runs,
  );
  const after = cloud.table.capacity.total();
  const measured = runs.executions.slice(SCHEDULES);
  const readUnitsPerMinute = (after.readUnits - before.readUnits) / MINUTES;
  const writeUnitsPerMinute = (after.writeUnits - before.writeUnits) / MINUTES;
  const seconds = measured.reduce((sum, { ms }) => sum + ms, 0) / 1_000 / MINUTES;
  const perMinute =
    readUnitsPerMinute * PRICES.readUnit +
    writeUnitsPerMinute * PRICES.writeUnit +
    SCHEDULES * (PRICES.lambdaRequest + PRICES.schedulerInvocation) +
    seconds * (MEMORY_MB / 1_024) * PRICES.lambdaGbSecond;
  return {
    readUnitsPerMinute,
    writeUnitsPerMinute,
    longestRunSeconds: Math.max(...measured.map(({ ms }) => ms)) / 1_000,
    reclaimRoundMinutes: roundMinutes(groups, measured, MINUTES),
    restPerMonth: perMinute * MINUTES_PER_MONTH,
  };
}

/**
 * Returns the minutes until `reclaim` has read all block groups, from the number that some runs
 * read.
 */
function roundMinutes(groups: number, executions: Runs["executions"], minutes: number): number {
  const visited = executions.reduce(
    (sum, run) => sum + (run.ended === "answered" ? (run.value.groups ?? 0) : 0),
    0,
  );
  return Math.max(1, (groups * minutes) / visited);
}

async function roundOf(cloud: Cloud, groups: number): Promise<number> {
  const runs: Runs = { executions: [] };
  await minutesUntil(cloud, RECLAIM, 1, () => false, runs);
  return roundMinutes(groups, runs.executions, 1);
}

/** Measures an assign and its release, by functions that have the host's block in their caches. */
async function pairsOf(cloud: Measured) {
  const lambda = new LambdaFunction(cloud);
  await assigned(lambda, "host:busy");
  const before = cloud.table.capacity.total();
  const ms: number[] = [];
  for (let i = 0; i < PAIRS; i++) {
    const asked = await assigned(lambda, "host:busy");
    const named = addressIn(asked.value);
    const released = await lambda.request((context) => releaseAddress(context, SPACE, named));
    ms.push(asked.ms, released.ms);
  }
  const after = cloud.table.capacity.total();
  const writeUnitsPerPair = (after.writeUnits - before.writeUnits) / PAIRS;
  const readUnitsPerPair = (after.readUnits - before.readUnits) / PAIRS;
  const seconds = ms.reduce((sum, each) => sum + each, 0) / 1_000 / PAIRS;
  const perPair =
    writeUnitsPerPair * PRICES.writeUnit +
    readUnitsPerPair * PRICES.readUnit +
    2 * (PRICES.lambdaRequest + PRICES.apiRequest) +
    seconds * (MEMORY_MB / 1_024) * PRICES.lambdaGbSecond;
  return { writeUnitsPerPair, readUnitsPerPair, perMillionPairs: perPair * 1e6 };
}

/** Measures an assign of a host without a block. */
async function claimOf(cloud: Measured) {
  const before = cloud.table.capacity.total();
  const { calls } = await assigned(new LambdaFunction(cloud), "host:new");
  const { readUnits } = cloud.table.capacity.total();
  return { claimCalls: calls, claimReadUnits: readUnits - before.readUnits };
}

const assigned = (lambda: LambdaFunction, host: HostId) =>
  expectServed(lambda, requestOf(SPACE, host));
