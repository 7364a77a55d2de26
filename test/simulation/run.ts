import { putPool, putReservation, putSettings } from "../../src/allocator/administration.ts";
import { assign } from "../../src/allocator/assign.ts";
import { collect } from "../../src/allocator/collect.ts";
import type { Context } from "../../src/allocator/context.ts";
import { disown } from "../../src/allocator/disown.ts";
import { Memory } from "../../src/allocator/memory.ts";
import { reclaim } from "../../src/allocator/reclaim.ts";
import { releaseAddress, releaseHandle } from "../../src/allocator/release.ts";
import { type Address, parseAddress } from "../../src/domain/address.ts";
import { parseCidr, parseInterval } from "../../src/domain/cidr.ts";
import type { Contents } from "../../src/domain/contents.ts";
import type { Random } from "../../src/domain/fresh.ts";
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
import { Strictness } from "./strictness.ts";

const SPACE = "default";
const COOLDOWN_SECONDS = 20;
const CALLERS = 5;
const REQUESTS_PER_CALLER = 4;
const HOSTS = ["node-1", "node-2"];
/** How many of IPv4 and of IPv6: what one block serves, several blocks, and both families. */
const WANTED = [
  [2, 0],
  [1, 0],
  [3, 0],
  [1, 1],
  [1, 0],
  [0, 1],
] as const;

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
  const strict = random.fraction() < 0.3;
  await makeSpace(calm, random, strict);
  const strictness = strict ? new Strictness() : undefined;
  const read = readingOnce();
  let writesSeen = 0;
  scheduler.onStep = (label) => {
    if (violations.length > 0 || table.writes === writesSeen) return;
    writesSeen = table.writes;
    const contents = read(table.items());
    ledger.hold(contents);
    cooldowns.step(contents, scheduler.nowMs);
    strictness?.step(contents);
    violations.push(
      ...findViolations(contents),
      ...ledger.violations.splice(0),
      ...cooldowns.violations.splice(0),
      ...(strictness?.violations.splice(0) ?? []),
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
  spawn("operator", disownSome);
  for (let n = 0; n < 2; n++)
    spawn(`administrator ${n}`, (context) => administer(context, scheduler, n));
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

/** A small IPv4 pool, a smaller IPv6 one, and rules that differ from run to run. */
async function makeSpace(context: Context, random: Random, strict: boolean): Promise<void> {
  const chance = (share: number) => random.fraction() < share;
  const pools = [
    ["pool-4", chance(0.5) ? "10.0.0.0/29" : "10.0.0.0/28", 31],
    ["pool-6", "2001:db8::/126", 127],
  ] as const;
  for (const [name, text, blockSize] of pools) {
    const cidr = parseCidr(text);
    if (!cidr.ok) throw new Error(cidr.problem);
    const spec = {
      cidr: cidr.value,
      blockSize,
      disabled: false,
      assignmentMode: "Automatic",
      allowedUses: ["Workload"],
      borrowing: "allowed",
      cooldownSeconds: COOLDOWN_SECONDS,
    } as const;
    await putPool(context, SPACE, name, spec, undefined);
  }
  const settings = {
    ...SETTINGS_DEFAULT,
    strictAffinity: strict,
    blockMinAgeSeconds: 30,
    maxBlocksPerHost: chance(0.3) ? 1 : SETTINGS_DEFAULT.maxBlocksPerHost,
    warmBlocksPerHost: 0,
  };
  await putSettings(context, SPACE, settings, undefined);
}

/** Two administrators who want the same ranges, reserve, and change their minds. */
async function administer(context: Context, scheduler: Scheduler, number: number): Promise<void> {
  const { random } = context;
  for (let n = 0; n < 3; n++) {
    await context.sleep(30_000 * random.fraction());
    await trying(scheduler, async () => {
      const how = random.fraction();
      if (how < 0.5) {
        const range = ["10.9.0.0/28", "10.9.0.8/29", "10.8.0.0/28"][n] ?? "10.8.0.0/28";
        const answer = await putPool(
          context,
          SPACE,
          `wanted-${(number + n) % 2}`,
          manual(range),
          undefined,
        );
        scheduler.count(`pool: ${answer instanceof Refusal ? answer.code : "created"}`);
      } else {
        const seen = (await context.store.readSpace(SPACE)).reservations[0];
        const text = `10.0.0.${Math.floor(random.fraction() * 8)}`;
        const interval = parseInterval(text);
        if (!interval.ok) throw new Error(interval.problem);
        const spec = { cidrs: [text], intervals: [interval.value] };
        const answer = await putReservation(context, SPACE, "one", spec, seen?.revision);
        scheduler.count(`reservation: ${answer instanceof Refusal ? answer.code : "put"}`);
      }
    });
  }
}

const manual = (range: string) => {
  const cidr = parseCidr(range);
  if (!cidr.ok) throw new Error(cidr.problem);
  return {
    cidr: cidr.value,
    blockSize: 31,
    disabled: false,
    assignmentMode: "Manual",
    allowedUses: ["Workload"],
    borrowing: "allowed",
  } as const;
};

/** An operator who takes blocks from their hosts, whatever is in them. */
async function disownSome(context: Context): Promise<void> {
  const cidr = parseCidr("10.0.0.0/25");
  if (!cidr.ok) throw new Error(cidr.problem);
  for (let n = 0; n < 2; n++) {
    await context.sleep(40_000 * context.random.fraction());
    const blocks = await context.store.lookAtCell(SPACE, cidr.value, { consistent: true });
    const block = blocks[Math.floor(context.random.fraction() * blocks.length)];
    if (block) await disown(context, block);
  }
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
    // The same request from both who carry it out: what it asks for depends on nothing else.
    const [ipv4, ipv6] = WANTED[(identity + n) % WANTED.length] as readonly [number, number];
    const wanted = [
      { family: 4, count: ipv4 } as const,
      { family: 6, count: ipv6 } as const,
    ].filter(({ count }) => count > 0);
    const count = ipv4 + ipv6;
    const allowPartial = (identity + n) % 5 === 0;
    const address =
      key === undefined && count === 1 && ipv4 === 1 && chance(0.4)
        ? someAddress(random.fraction())
        : undefined;
    let told: readonly Promised[] | undefined;
    for (let attempt = 0; attempt < 3 && !told; attempt++) {
      const answer = await trying(scheduler, () =>
        assign(context, {
          space: SPACE,
          host,
          wanted,
          allowPartial,
          ...(address && { address }),
          handle,
          attributes: {},
          pools: [],
          ...(key && { keyId: handleHash(`${handle}/${key}`) }),
          digest: `${ipv4} ${ipv6}`,
        }),
      );
      if (answer && !(answer instanceof Refusal)) {
        scheduler.count("answer: assigned");
        told = ledger.hear(handle, key, answer.addresses);
        if (answer.addresses.length !== count && !allowPartial)
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
  const { blocks, rows, loans, records } = contents();
  return [...blocks, ...rows, ...loans, ...records].map((left) => ({
    invariant: "tidy",
    message: `everything was released, and this is left: ${JSON.stringify(left, (_, v) => (typeof v === "bigint" ? String(v) : v))}`,
  }));
}
