import { expect } from "vitest";
import { handleHash } from "../src/base/hash.ts";
import { noWrites, Rejection } from "../src/base/outcome.ts";
import type { Contents } from "../src/invariants/contents.ts";
import { findViolations } from "../src/invariants/invariants.ts";
import { assign } from "../src/kernel/assign/assign.ts";
import type { Assignment, AssignRequest } from "../src/kernel/assign/assignment.ts";
import type { Context } from "../src/kernel/core/context.ts";
import type { Store } from "../src/kernel/core/store.ts";
import { WarmCache } from "../src/kernel/core/warm-cache.ts";
import { type ReleaseResult, releaseAddress } from "../src/kernel/release/release-address.ts";
import { type Quarantined, reportConflict } from "../src/kernel/release/report-conflict.ts";
import { parseGeneration } from "../src/kernel/values/generation.ts";
import { type Address, type Parsed, parseAddress } from "../src/net/address.ts";
import { type Cidr, parseCidr } from "../src/net/cidr.ts";
import { putPool, putSettings } from "../src/nouns/pool/operations/administration.ts";
import type { Pool, PoolSpec } from "../src/nouns/pool/pool.ts";
import { BUDGET_ROUND_MS } from "../src/nouns/quota/budget.ts";
import { SETTINGS_DEFAULT, type Settings } from "../src/nouns/settings/settings.ts";
import { makeStore, storeOver } from "../src/store/stack.ts";
import type { InMemoryTable } from "../src/table/in-memory-table.ts";
import type { Table } from "../src/table/table.ts";
import { afterEachTest } from "./each-file.ts";
import { unregisteredIn } from "./register.ts";
import { reclaimSpaces, repairAll } from "./scheduled-runs.ts";
import { sharedOver } from "./simulation/layers.ts";
import { MutatedTable } from "./simulation/mutate.ts";
import { seededRandom } from "./simulation/random.ts";
import { readingOnce } from "./simulation/reading.ts";

export const SPACE = "default";
export const COOLDOWN_SECONDS = 5;
const START_MS = 1_700_000_000_000;

/** A clock that the test sets. */
export interface Clock {
  nowMs: number;
}

/** A small world: an in-memory table with one pool, by default four blocks of two addresses. */
export interface World {
  readonly table: InMemoryTable;
  readonly clock: Clock;
  /** A function without faults. */
  readonly calm: Context;
}

const made: World[] = [];

/**
 * Checks the invariants over the tables of each test's worlds when it has ended, and that the scheduled runs visit all
 * pools.
 */
afterEachTest(() => {
  for (const world of made.splice(0)) {
    expect(findViolations(contentsIn(world))).toEqual([]);
    expect(unregisteredIn(world.table)).toEqual([]);
  }
});

export async function makeWorld(
  pool: PoolSpec = poolOf("10.0.0.0/29", 31),
  settings: Partial<Settings> = {},
): Promise<World> {
  const table = new MutatedTable(process.env.WITHOUT);
  const clock = { nowMs: START_MS };
  const calm = contextOver(table, clock);
  await putPool(calm, SPACE, "pool", pool, undefined);
  await putSettings(
    calm,
    SPACE,
    { ...SETTINGS_DEFAULT, cooldownSeconds: COOLDOWN_SECONDS, ...settings },
    undefined,
  );
  const world = { table, clock, calm };
  made.push(world);
  return world;
}

/** Returns a world with the same items and time, which goes its own way. Its functions have just started. */
export function copyOf(world: World): World {
  const table = new MutatedTable(process.env.WITHOUT);
  for (const [pk, partition] of world.table.partitions)
    table.partitions.set(pk, new Map(partition));
  const clock = { ...world.clock };
  const copy = { table, clock, calm: contextOver(table, clock) };
  made.push(copy);
  return copy;
}

/** The calls over each table, which have no state of their own. */
const stores = new WeakMap<Table, Store>();

function plainStoreOver(table: Table): Store {
  const store = stores.get(table) ?? makeStore(table);
  stores.set(table, store);
  return store;
}

/** Makes a function that has just started, with an empty warm cache. */
export function contextOver(table: Table, clock: Clock, seed = 1): Context {
  return {
    store: plainStoreOver(table),
    random: seededRandom(seed),
    cache: new WarmCache(),
    now: () => clock.nowMs,
    sleep: async () => {},
  };
}

/** The actor of the writes of a world's functions where they are layered as deployed. */
const TESTER = { principal: "tester", requestId: "request", sourceIp: "192.0.2.1" };

/**
 * Makes a function that has just started, as `contextOver` does, over the layers that a deployed one has (`src/store/stack.ts`). A fault
 * of the table is below them: a read that fails is tried again, and a deletion is signed before. The clock of a test leaps, so
 * the function has no deadline, as in a scheduled run.
 */
export function deployedOver(table: Table, clock: Clock, seed = 1): Context {
  const context = contextOver(table, clock, seed);
  const { random, sleep, now } = context;
  const store = storeOver(
    () => table,
    { actor: TESTER, counts: noWrites() },
    sharedOver(table, now, { random, sleep }),
  );
  return { ...context, store };
}

/** Reads each item once, because the copies of a world share those that neither of them replaced. */
const readOnce = readingOnce();

export const contentsIn = ({ table }: World): Contents => readOnce(table.items());

/** Returns the calls of a world's table. A test may replace some of them. */
export const tableOf = ({ table }: World): Table => ({
  get: (key) => table.get(key),
  query: (pk, options) => table.query(pk, options),
  scan: (limit, options) => table.scan(limit, options),
  due: (shard, options) => table.due(shard, options),
  write: (write) => table.write(write),
});

/** Returns the current pool of a world, or another one. */
export async function poolNamed({ calm }: World, name = "pool"): Promise<Pool> {
  const pool = (await calm.store.readSpace(SPACE)).pools.find((one) => one.name === name);
  if (!pool) throw new Error(`there is no pool ${name}`);
  return pool;
}

/** Runs the scheduled runs, each time after this wait. */
export async function scheduledRuns({ clock, calm }: World, times: number, waitMs = 100_000) {
  for (let round = 0; round < times; round++) {
    clock.nowMs += waitMs;
    const { items } = await calm.store.listSpaces();
    await reclaimSpaces(
      calm,
      items.map(({ space }) => space),
    );
    await repairAll(calm);
  }
}

/** Lets days pass in which the repair run walks over the table, and the rounds of budgets turn. */
export async function daysPass({ table, clock }: World, days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    clock.nowMs += BUDGET_ROUND_MS + 1;
    for (let walk = 0; walk < 3; walk++) {
      clock.nowMs += 200_000;
      await repairAll(contextOver(table, clock, 50 + walk));
    }
  }
}

export const requestOf = (handle: string, count: number, key?: string): AssignRequest => ({
  space: SPACE,
  host: "host:node-1",
  wanted: [{ family: 4, count }],
  handle,
  attributes: {},
  pools: [],
  ...(key && { keyId: handleHash(`${handle}/${key}`) }),
  digest: `${handle} ${count}`,
});

/** Makes a request for an address of each interface, each with its list of pools. */
export const interfacesRequest = (
  handle: string,
  pools: Readonly<Record<string, readonly string[]>> = { eth0: [], net1: [] },
  key?: string,
): AssignRequest => ({
  ...requestOf(handle, 0, key),
  wanted: Object.keys(pools).map((name) => ({ family: 4, count: 1, interface: name })),
  interfaces: Object.entries(pools).map(([name, own]) => ({ name, pools: own })),
});

/** Assigns; throws if the request is rejected. */
export async function assigned(context: Context, request: AssignRequest): Promise<Assignment> {
  const answer = await assign(context, request);
  if (answer instanceof Rejection) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

/** Assigns addresses one by one, on four hosts, and returns them. */
export async function assignedOneByOne(
  context: Context,
  name: string,
  count: number,
): Promise<readonly string[]> {
  const told: Assignment[] = [];
  for (let n = 0; n < count; n++)
    told.push(
      await assigned(context, { ...requestOf(`${name}-${n}`, 1), host: `host:node-${n % 4}` }),
    );
  return told.flatMap(({ addresses }) => addresses.map(({ address }) => address));
}

/** Releases every address of an answer by its generation. */
export async function releaseAll(
  context: Context,
  told: Assignment | undefined,
): Promise<ReleaseResult[]> {
  const results: ReleaseResult[] = [];
  for (const { address, generation } of told?.addresses ?? [])
    results.push(
      await releaseAddress(context, SPACE, {
        address: addressOf(address),
        generation: read(parseGeneration(generation)),
      }),
    );
  return results;
}

/** Reports every address of an answer as a conflict, by its generation. */
export async function reportAll(
  context: Context,
  told: Assignment | undefined,
): Promise<(Quarantined | Rejection)[]> {
  const answers: (Quarantined | Rejection)[] = [];
  for (const { address, generation } of told?.addresses ?? []) {
    const named = { address: addressOf(address), generation: read(parseGeneration(generation)) };
    answers.push(await reportConflict(context, SPACE, named));
  }
  return answers;
}

export function poolOf(cidr: string, blockSize: number): PoolSpec {
  return {
    cidr: cidrOf(cidr),
    blockSize,
    disabled: false,
    assignmentMode: "Automatic",
    allowedUses: ["Workload"],
    borrowing: "allowed",
  };
}

export const cidrOf = (text: string): Cidr => read(parseCidr(text));
export const addressOf = (text: string): Address => read(parseAddress(text));

function read<T>(parsed: Parsed<T>): T {
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}
