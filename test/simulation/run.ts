import { putPool, putSettings } from "../../src/allocator/administration.ts";
import { assign } from "../../src/allocator/assign.ts";
import { collect } from "../../src/allocator/collect.ts";
import type { Context } from "../../src/allocator/context.ts";
import { Memory } from "../../src/allocator/memory.ts";
import { reclaim } from "../../src/allocator/reclaim.ts";
import { releaseAddress, releaseHandle } from "../../src/allocator/release.ts";
import { type Address, parseAddress } from "../../src/domain/address.ts";
import { parseCidr } from "../../src/domain/cidr.ts";
import type { Contents } from "../../src/domain/contents.ts";
import { handleHash } from "../../src/domain/hash.ts";
import { hostId } from "../../src/domain/host.ts";
import { findViolations, type Violation } from "../../src/domain/invariants.ts";
import { RELEASED_RECORD_KEPT_MS } from "../../src/domain/limits.ts";
import { Refusal } from "../../src/domain/outcome.ts";
import { SETTINGS_DEFAULT } from "../../src/domain/settings.ts";
import { contentsOf } from "../../src/store/contents.ts";
import { DUE_SHARDS } from "../../src/store/definition.ts";
import { makeStore } from "../../src/store/store.ts";
import type { Table } from "../../src/store/table.ts";
import { Cooldowns } from "./cooldowns.ts";
import { Ledger, type Promised } from "./ledger.ts";
import { MutatedTable } from "./mutate.ts";
import { seededRandom } from "./random.ts";
import { readingOnce } from "./reading.ts";
import { Scheduler, STORMY, type Weather } from "./scheduler.ts";

const SPACE = "default";
const COOLDOWN_SECONDS = 20;
const CALLERS = 5;
const REQUESTS_PER_CALLER = 4;
const HOSTS = ["node-1", "node-2"];

export interface RunOptions {
  readonly seed: number;
  readonly weather?: Weather;
  /** A clause or step to leave out. */
  readonly without?: string | undefined;
}

export interface RunResult {
  readonly violations: readonly Violation[];
  /** How often each call, fault and answer came up. */
  readonly seen: ReadonlyMap<string, number>;
}

/**
 * One simulated life of a small pool: callers that assign and release in every way, two of them carrying out the same
 * requests, reclaimers, collectors, and clean-ups by handle; faults at every call. The invariants are proven after every
 * step, the answers against one another, and after a calm end the table must be tidy and then empty.
 */
export async function simulate({
  seed,
  weather = STORMY,
  without,
}: RunOptions): Promise<RunResult> {
  const random = seededRandom(seed);
  const table = new MutatedTable(without);
  const scheduler = new Scheduler(table, random, weather);
  const ledger = new Ledger();
  const cooldowns = new Cooldowns(COOLDOWN_SECONDS * 1000);
  const violations: Violation[] = [];
  const contextOf = (of: Table, sleep: (ms: number) => Promise<void>): Context => ({
    store: makeStore(of),
    random,
    memory: new Memory(),
    now: () => scheduler.nowMs,
    sleep,
  });
  const calm = contextOf(table, async () => {});
  await makePool(calm, random.fraction() < 0.5 ? "10.0.0.0/29" : "10.0.0.0/28");
  const read = readingOnce();
  let writesSeen = 0;
  scheduler.onStep = (label) => {
    if (violations.length > 0 || table.writes === writesSeen) return;
    writesSeen = table.writes;
    const contents = read(table.items());
    ledger.hold(contents);
    cooldowns.step(contents, scheduler.nowMs);
    violations.push(
      ...findViolations(contents),
      ...ledger.violations.splice(0),
      ...cooldowns.violations.splice(0),
    );
    if (violations.length > 0) scheduler.count(`broken by: ${label}`);
  };

  const spawn = (name: string, body: (context: Context) => Promise<unknown>) =>
    scheduler.spawn(name, ({ table: own, sleep }) => body(contextOf(own, sleep)));
  for (let n = 0; n < CALLERS; n++) {
    // The last caller carries out the first one's requests, as a client library or a second executor would.
    const twin = n === CALLERS - 1 ? 0 : n;
    spawn(`caller ${n}`, (context) => caller(context, scheduler, ledger, twin, n));
  }
  for (let n = 0; n < 2; n++) {
    spawn(`reclaimer ${n}`, async (context) => {
      for (let pass = 0; pass < 5; pass++) {
        await context.sleep(30_000 * random.fraction());
        await reclaim(context);
      }
    });
    spawn(`collector ${n}`, async (context) => {
      for (let pass = 0; pass < 4; pass++) {
        await context.sleep(40_000 * random.fraction());
        await collect(context, DUE_SHARDS);
      }
    });
  }
  spawn("ender", async (context) => {
    for (let n = 0; n < 3; n++) {
      await context.sleep(30_000 * random.fraction());
      const handle = `pod-${Math.floor(random.fraction() * (CALLERS - 1))}`;
      await ledger.ending(handle, () => releaseHandle(context, SPACE, handle));
    }
  });
  await scheduler.run();
  if (violations.length === 0) violations.push(...(await calmDown(scheduler, calm, ledger)));
  return { violations, seen: scheduler.seen };
}

async function makePool(context: Context, text: string): Promise<void> {
  const cidr = parseCidr(text);
  if (!cidr.ok) throw new Error(cidr.problem);
  await putPool(
    context,
    SPACE,
    "pool",
    {
      cidr: cidr.value,
      blockSize: 31,
      disabled: false,
      assignmentMode: "Automatic",
      allowedUses: ["Workload"],
      cooldownSeconds: COOLDOWN_SECONDS,
    },
    undefined,
  );
  await putSettings(context, SPACE, { ...SETTINGS_DEFAULT, blockMinAgeSeconds: 30 }, undefined);
}

/** One client: a few requests, and for each what a real one might do with the answer. */
async function caller(
  context: Context,
  scheduler: Scheduler,
  ledger: Ledger,
  identity: number,
  number: number,
): Promise<void> {
  const { random } = context;
  const chance = (share: number) => random.fraction() < share;
  const host = hostId("host", HOSTS[identity % HOSTS.length] as string);
  const handle = `pod-${identity}`;
  for (let n = 0; n < REQUESTS_PER_CALLER; n++) {
    const key = identity === 0 || n % 2 === 1 ? `key-${n}` : undefined;
    const count = (identity + n) % 3 === 0 ? 2 : 1;
    const address =
      key === undefined && count === 1 && chance(0.2) ? someAddress(random.fraction()) : undefined;
    let told: readonly Promised[] | undefined;
    for (let attempt = 0; attempt < 3 && !told; attempt++) {
      const answer = await trying(scheduler, () =>
        assign(context, {
          space: SPACE,
          host,
          family: 4,
          count,
          ...(address && { address }),
          handle,
          attributes: {},
          pools: [],
          ...(key && { keyId: handleHash(`${handle}/${key}`) }),
          digest: `${count}`,
        }),
      );
      if (answer && !(answer instanceof Refusal)) {
        scheduler.count("answer: assigned");
        told = ledger.hear(handle, key, answer.addresses);
        if (answer.addresses.length !== count)
          ledger.violations.push({
            invariant: "I8",
            message: `asked ${count}, got ${answer.addresses.length}`,
          });
      } else {
        if (answer) scheduler.count(`answer: ${answer.code}`);
        if (key === undefined || answer?.code === "already_released") break;
        await context.sleep(12_000 * random.fraction());
      }
    }
    if (!told || number !== identity) continue;
    await context.sleep(5_000 * random.fraction());
    const how = random.fraction();
    if (how < 0.55) {
      for (const promised of told) {
        await letGo(context, scheduler, ledger, promised, chance(0.3));
        if (chance(0.3)) await letGo(context, scheduler, ledger, promised, false);
      }
    } else if (how < 0.65 && told[0]) await letGo(context, scheduler, ledger, told[0], false);
    else if (how < 0.8)
      await trying(scheduler, () =>
        ledger.ending(handle, () => releaseHandle(context, SPACE, handle)),
      );
  }
}

async function letGo(
  context: Context,
  scheduler: Scheduler,
  ledger: Ledger,
  promised: Promised,
  byHandle: boolean,
): Promise<void> {
  ledger.letGo(promised);
  const address = parseAddress(promised.address);
  if (!address.ok) throw new Error(address.problem);
  const proof = byHandle ? { handle: promised.handle } : { generation: promised.parsed };
  const release = () => releaseAddress(context, SPACE, { address: address.value, ...proof });
  const result = await trying(scheduler, () =>
    byHandle ? ledger.lettingGo(promised, release) : release(),
  );
  scheduler.count(`release: ${result?.status ?? "error"}`);
}

/** A client hears of an error and goes on; what it holds then is the protocol's business. */
async function trying<T>(scheduler: Scheduler, act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (!["Contended", "Busy", "Unavailable"].includes(name)) throw error;
    scheduler.count(`error: ${name}`);
    return undefined;
  }
}

function someAddress(fraction: number): Address {
  return { family: 4, value: 0x0a000000n + BigInt(Math.floor(fraction * 8)) };
}

/** Nobody is at work any more: after the scheduled passes the table must be tidy, and empty once all is released. */
async function calmDown(
  scheduler: Scheduler,
  context: Context,
  ledger: Ledger,
): Promise<Violation[]> {
  const { table } = scheduler;
  const contents = (): Contents => contentsOf(table.items());
  const pass = async (waitMs: number) => {
    scheduler.nowMs += waitMs;
    await reclaim(context);
    await collect(context, DUE_SHARDS);
  };
  for (let n = 0; n < 4; n++) await pass(100_000);
  ledger.hold(contents());
  const found = [...findViolations(contents(), { quiet: true }), ...ledger.violations];
  if (found.length > 0) return found;
  for (const handle of new Set(contents().records.map((record) => record.handle)))
    await releaseHandle(context, SPACE, handle);
  for (let n = 0; n < 3; n++) await pass(RELEASED_RECORD_KEPT_MS);
  const { blocks, rows, records } = contents();
  return [...blocks, ...rows, ...records].map((left) => ({
    invariant: "tidy",
    message: `everything was released, and this is left: ${JSON.stringify(left, (_, v) => (typeof v === "bigint" ? String(v) : v))}`,
  }));
}
