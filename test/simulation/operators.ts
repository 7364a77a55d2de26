import { GRACE_MS, JOB_KEPT_MS, RELEASED_ALLOCATION_KEPT_MS } from "../../src/base/limits.ts";
import { Rejection } from "../../src/base/outcome.ts";
import { claimAffinities } from "../../src/kernel/affinities/claim-range.ts";
import { releaseAffinities, releaseRange } from "../../src/kernel/affinities/release-range.ts";
import { ensureBlocks } from "../../src/kernel/assign/ensure-blocks.ts";
import { disown } from "../../src/kernel/blocks/disown-block.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import type { Written } from "../../src/kernel/core/written.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { releaseHost } from "../../src/kernel/release/release-host.ts";
import { groupAt } from "../../src/kernel/values/block-group.ts";
import type { Random } from "../../src/kernel/values/fresh.ts";
import { type HostId, hostId, hostName } from "../../src/kernel/values/host.ts";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import { type Address, formatAddress, parseAddress } from "../../src/net/address.ts";
import { parseInterval } from "../../src/net/cidr.ts";
import { liftQuarantine } from "../../src/nouns/address/operations/lift-quarantine.ts";
import { listAffinities } from "../../src/nouns/affinity/operations/list-affinities.ts";
import { listSpaceAffinities } from "../../src/nouns/affinity/operations/list-space-affinities.ts";
import type { Namespace } from "../../src/nouns/namespace/namespace.ts";
import type { Node } from "../../src/nouns/node/node.ts";
import {
  deleteReservation,
  listPools,
  listReservations,
  putPool,
  putSettings,
  readPool,
  readReservation,
  readSettings,
} from "../../src/nouns/pool/operations/administration.ts";
import {
  type Accepted,
  deletePool,
  drainPool,
  listJobs,
  readJob,
  releasePool,
} from "../../src/nouns/pool/operations/pool-jobs.ts";
import type { PoolSpec } from "../../src/nouns/pool/pool.ts";
import {
  deleteNamespace,
  putNamespace,
  readNamespace,
} from "../../src/nouns/registry/operations/namespaces.ts";
import { deleteNode, listNodes, putNode } from "../../src/nouns/registry/operations/nodes.ts";
import { reserve as reserveAddresses } from "../../src/nouns/reservation/operations/reserve.ts";
import { requestOf } from "./layers.ts";
import { drawAddress, FOUNDED, SPACE } from "./requests.ts";
import type { Life } from "./run.ts";
import { cidrOf, drawLabels, NAMESPACES, type Scenario, valueIn } from "./scenario.ts";
import { hostNamed, namespaceNamed } from "./selection.ts";

interface Errand {
  readonly afterMs: number;
  readonly act: (context: Context, life: Life) => Answer;
}

/** Draws an administrator's plan with its times: administrators with the same plan conflict. */
export function drawPlan({ fraction }: Random, { fleeting }: Scenario): readonly Errand[] {
  const forms = [create, create, create, change, reserve, reserve, unreserve, configure];
  const acts = fleeting.length > 2 ? [...MOVES, ...MOVES, change, configure] : forms;
  return Array.from({ length: 6 }, () => ({
    afterMs: 30_000 * fraction(),
    act: acts[Math.floor(fraction() * acts.length)] as (typeof acts)[number],
  }));
}

/**
 * Acts as an administrator that creates pools, reserves, and reverts its changes, with the revision
 * that it read or without one.
 */
export async function administrator(
  context: Context,
  life: Life,
  plan: readonly Errand[],
): Promise<void> {
  for (const { afterMs, act } of plan) {
    await context.sleep(afterMs);
    await life.scheduler.trying(async () => {
      const answer = await act(context, life);
      life.scheduler.count(`${act.name}: ${answer instanceof Rejection ? answer.code : "done"}`);
      if (answer instanceof Rejection) life.scheduler.count(`answer: ${answer.code}`);
    });
  }
}

/** The actions of administrators if pools are created and deleted. */
const MOVES = [create, create, drain, dissolve, dissolve, changeMind];

type Answer = Promise<Written<unknown> | Accepted | Rejection>;

async function create(context: Context, life: Life): Answer {
  const name = oneOf(context, life.scenario.fleeting);
  const main = life.scenario.pools.find((pool) => pool.name === name);
  const range = oneOf(context, ["10.9.0.0/28", "10.9.0.8/29", "10.9.0.0/29"]);
  const seen = await revisionOf(context, name);
  // A successor may have blocks of another size, none larger than the pool itself.
  const spec = main && {
    ...main,
    blockSize: chance(context, 0.3) ? otherSize(main) : main.blockSize,
  };
  return putPool(requestOf(context), SPACE, name, spec ?? manual(range), ifMatch(context, seen));
}

/** Creates the first pool of a space. It repeats a PUT that got no answer. */
export async function founder(context: Context, { scheduler }: Life): Promise<void> {
  await context.sleep(90_000 * context.random.fraction());
  for (let n = 0; n < 3; n++) {
    await scheduler.trying(async () => {
      await putPool(requestOf(context), FOUNDED, "pool-4", manual("10.5.0.0/28"), undefined);
      scheduler.count("a space gets its first pool");
    });
    await context.sleep(20_000 * context.random.fraction());
  }
}

/** Drains a pool. */
async function drain(context: Context, { scenario }: Life): Answer {
  const name = oneOf(context, scenario.fleeting);
  return drainPool(
    requestOf(context),
    SPACE,
    name,
    ifMatch(context, await revisionOf(context, name)),
  );
}

/** Deletes a pool. */
async function dissolve(context: Context, { scenario }: Life): Answer {
  const name = oneOf(context, scenario.fleeting);
  const seen = ifMatch(context, await revisionOf(context, name));
  const answer = await deletePool(requestOf(context), SPACE, name, seen);
  return answer instanceof Rejection ? answer : ((await follow(context, answer)) ?? answer);
}

/** Creates a pool while another operator deletes it before it serves. */
async function changeMind(context: Context, life: Life): Answer {
  const deleting = async () => {
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      const { items } = await listPools(requestOf(context), SPACE);
      const pool = items.find(({ state }) => state === "pending");
      if (pool)
        return deletePool(requestOf(context), SPACE, pool.name, ifMatch(context, pool.revision));
    }
    return undefined;
  };
  const [created] = await Promise.all([create(context, life), deleting()]);
  return created;
}

const LOOKS_MAX = 12;

async function revisionOf(context: Context, name: string): Promise<string | undefined> {
  const pool = await readPool(requestOf(context), SPACE, name);
  return pool instanceof Rejection ? undefined : pool.revision;
}

/** Another range, for a change that is rejected unless the pool is gone. Then the change makes a pool there. */
const ELSEWHERE = { 4: "10.77.0.0/28", 6: "2001:db8:77::/120" };

/** Changes a pool; its range must not change. */
async function change(context: Context, { scenario }: Life): Answer {
  const { items } = await listPools(requestOf(context), SPACE);
  const pools = items.filter(({ ranges }) => !ranges);
  const pool = pools.find(({ name }) => name === "pool-5" || name.startsWith("wanted")) ?? pools[0];
  if (!pool) return new Rejection("not_found", "no pool");
  const { name, cidr, blockSize, allowedUses, assignmentMode, borrowing, cooldownSeconds } = pool;
  const {
    nodeSelector,
    namespaceSelector,
    podSelector,
    nodeNames,
    namespaceNames,
    networks,
    principals,
  } = pool;
  const isMain = scenario.pools.some((main) => main.name === name) && name !== "pool-5";
  const spec: PoolSpec = {
    cidr: chance(context, 0.1) ? cidrOf(ELSEWHERE[cidr.family]) : cidr,
    blockSize: chance(context, 0.1) ? blockSize - 1 : blockSize,
    disabled: !isMain && chance(context, 0.5),
    allowedUses: chance(context, 0.1) ? ["LoadBalancer"] : allowedUses,
    assignmentMode,
    borrowing,
    ...(nodeSelector && { nodeSelector }),
    ...(namespaceSelector && { namespaceSelector }),
    ...(podSelector && { podSelector }),
    ...(nodeNames && { nodeNames }),
    ...(namespaceNames && { namespaceNames }),
    ...(networks && { networks }),
    ...(principals && { principals }),
    ...(cooldownSeconds !== undefined && { cooldownSeconds }),
  };
  return putPool(requestOf(context), SPACE, name, spec, ifMatch(context, pool.revision));
}

async function reserve(context: Context, { scenario }: Life): Answer {
  const before = await readReservation(requestOf(context), SPACE, "one");
  const seen = before instanceof Rejection ? undefined : before.revision;
  // A reservation may cover a whole pool. Then the pool has nothing to claim or to borrow.
  const whole = ["2001:db8::/126", "10.1.0.0/29", "10.0.0.0/28", ...ofRangedPools(scenario)];
  const drawn = Math.floor(context.random.fraction() * 8);
  const text = (chance(context, 0.2) && whole[drawn % whole.length]) || `10.0.0.${drawn}`;
  const spec = { cidrs: [text], intervals: [valueIn(parseInterval(text))] };
  return reserveAddresses(context, SPACE, "one", spec, ifMatch(context, seen));
}

/** Returns what a reservation may take from ranged pools: a part of each, and an address. */
const ofRangedPools = ({ pools }: Scenario): readonly string[] =>
  pools.some(({ ranges }) => ranges) ? ["10.4.0.3-10.4.0.6", "10.4.0.1"] : [];

async function unreserve(context: Context): Answer {
  const [first] = (await listReservations(requestOf(context), SPACE)).items;
  const name = first?.name ?? "one";
  return deleteReservation(requestOf(context), SPACE, name, ifMatch(context, first?.revision));
}

/** Changes settings that no judge depends on, and strictness; sometimes it configures a new space. */
async function configure(context: Context, { scenario, strictness }: Life): Answer {
  if (chance(context, 0.3)) return configureAnother(context, scenario);
  const strictAffinity = chance(context, 0.5);
  return strictness.setting(strictAffinity, async () => {
    const { revision } = await readSettings(requestOf(context), SPACE);
    const settings = {
      ...scenario.settings,
      strictAffinity,
      autoAllocateBlocks: chance(context, 0.7),
      warmBlocksPerHost: chance(context, 0.5) ? 1 : 0,
      maxBlocksPerHost: oneOf(context, [1, 2, 20, null]),
      // An index that was removed comes back, and is not complete again before walks have been through.
      ...(scenario.settings.indexedAttributes.length > 0 &&
        chance(context, 0.3) && { indexedAttributes: [] }),
    };
    return putSettings(requestOf(context), SPACE, settings, ifMatch(context, revision));
  });
}

async function configureAnother(context: Context, { settings }: Scenario): Answer {
  const { revision } = await readSettings(requestOf(context), "configured");
  return putSettings(requestOf(context), "configured", settings, ifMatch(context, revision));
}

/** Reads the state of a job. */
async function follow(context: Context, { job }: Accepted): Promise<Rejection | undefined> {
  await context.sleep(30_000 * context.random.fraction());
  await listJobs(requestOf(context), SPACE);
  const now = await readJob(requestOf(context), SPACE, chance(context, 0.1) ? "another" : job.id);
  return now instanceof Rejection ? now : undefined;
}

/** Acts as an operator that lifts quarantines, mostly of addresses that callers reported. */
export async function lifter(
  context: Context,
  { scheduler, scenario, ledger }: Life,
): Promise<void> {
  for (let n = 0; n < 6; n++) {
    await context.sleep(20_000 * context.random.fraction());
    const reported = ledger.quarantined;
    const address =
      reported.length > 0 && chance(context, 0.8)
        ? valueIn(parseAddress(oneOf(context, reported)))
        : drawAddress(context.random, scenario);
    const answer = await scheduler.trying(() =>
      ledger.lifting(formatAddress(address), () =>
        liftQuarantine(requestOf(context), SPACE, address),
      ),
    );
    if (answer) scheduler.count(`answer: ${answer instanceof Rejection ? answer.code : "lifted"}`);
  }
}

/**
 * Acts as an operator that registers hosts and namespaces, changes their labels, and deletes them.
 */
export async function labeller(context: Context, life: Life): Promise<void> {
  const { scheduler, scenario } = life;
  for (let n = 0; n < 5; n++) {
    await context.sleep(25_000 * context.random.fraction());
    const act = chance(context, 0.6)
      ? () => labelHost(context, life, hostName(oneOf(context, scenario.hosts)))
      : () => labelNamespace(context, life, oneOf(context, NAMESPACES));
    await scheduler.trying(async () => {
      const answer = await act();
      if (answer instanceof Rejection) scheduler.count(`answer: ${answer.code}`);
    });
    if (chance(context, 0.3))
      await scheduler.trying(() =>
        listNodes(requestOf(context), { space: SPACE, limit: 2, after: undefined }),
      );
  }
}

async function labelHost(context: Context, { selection }: Life, name: string) {
  const before = await context.store.readNode(SPACE, name);
  const seen = ifMatch(context, before?.revision);
  const labels = chance(context, 0.25) ? undefined : drawLabels(context.random);
  return selection.labelling<Node | undefined>(hostNamed(name), labels, () =>
    labels
      ? putNode(requestOf(context), SPACE, name, { labels }, seen)
      : deleteNode(requestOf(context), SPACE, name, seen),
  );
}

async function labelNamespace(context: Context, { selection }: Life, name: string) {
  const before = await readNamespace(requestOf(context), SPACE, name);
  const seen = ifMatch(context, before instanceof Rejection ? undefined : before.revision);
  const labels = chance(context, 0.25) ? undefined : drawLabels(context.random);
  return selection.labelling<Namespace | undefined>(namespaceNamed(name), labels, () =>
    labels
      ? putNamespace(requestOf(context), SPACE, name, { labels }, seen)
      : deleteNamespace(requestOf(context), SPACE, name, seen),
  );
}

/** Disowns blocks, whatever their contents. */
export async function disowner(context: Context, { scenario }: Life): Promise<void> {
  for (let n = 0; n < 2; n++) {
    await context.sleep(40_000 * context.random.fraction());
    const pool = oneOf(context, scenario.pools);
    const blocks = await context.store.scanGroup(SPACE, groupAt(pool, 0n), { consistent: true });
    if (blocks.length > 0) await disown(context, oneOf(context, blocks));
  }
}

/** Lets a day or a week pass at once, in which no process makes progress. */
export async function calendar(context: Context, { scheduler }: Life): Promise<void> {
  await context.sleep(200_000 * context.random.fraction());
  scheduler.nowMs += oneOf(context, [RELEASED_ALLOCATION_KEPT_MS, JOB_KEPT_MS]) + GRACE_MS;
}

/** Releases every address of a handle, as the drain of a node does. */
export async function ender(context: Context, { scenario, ledger }: Life): Promise<void> {
  for (let n = 0; n < 3; n++) {
    await context.sleep(30_000 * context.random.fraction());
    const { handle } = oneOf(context, scenario.clients);
    await ledger.ending(handle, () => releaseHandle(requestOf(context), SPACE, handle));
  }
}

/**
 * Claims ranges and blocks for working hosts, releases the affinities, and releases all addresses
 * of a host.
 */
export async function provisioner(context: Context, life: Life): Promise<void> {
  for (let n = 0; n < 6; n++) {
    await context.sleep(25_000 * context.random.fraction());
    const host = oneOf(context, life.scenario.hosts);
    const acts = [claimRange, ensure, releaseSome, releaseAll, endHost, listOwned];
    const act = chance(context, 0.1) ? releaseAny : oneOf(context, acts);
    await life.scheduler.trying(() => act(context, life, host));
  }
}

async function claimRange(context: Context, life: Life, host: HostId): Promise<void> {
  const { owners, scheduler, scenario } = life;
  const { cidr, blockSize } = oneOf(context, scenario.pools);
  const beyond = chance(context, 0.25) ? { ...cidr, prefix: blockSize + 1 } : cidr;
  const wanted = chance(context, 0.1) ? cidrOf("192.0.2.0/24") : beyond;
  const since = owners.moment;
  const answer = await claimAffinities(requestOf(context), { space: SPACE, host, cidr: wanted });
  if (answer instanceof Rejection) return scheduler.count(`answer: ${answer.code}`);
  for (const block of answer.blocks) {
    scheduler.count(`claim: ${block.status}`);
    owners.hearClaimed(host, block, since);
  }
}

async function ensure(context: Context, { owners, scheduler }: Life, host: HostId): Promise<void> {
  const since = owners.moment;
  const families = oneOf(context, [[4], [6], [4, 6]] as const);
  const pools = chance(context, 0.2) ? ["pool-5"] : [];
  const answer = await ensureBlocks(requestOf(context), { space: SPACE, host, families, pools });
  if (answer instanceof Rejection) return scheduler.count(`answer: ${answer.code}`);
  for (const { cidr } of answer) owners.hearClaimed(host, { cidr, status: "claimed" }, since);
}

/**
 * Releases the affinity of a listed block of the host, of any block, or of all blocks that the host
 * has in a pool.
 */
async function releaseSome(context: Context, life: Life, host: HostId): Promise<void> {
  const { owners, scheduler, scenario } = life;
  const { items } = await listAffinities(requestOf(context), { space: SPACE, host, limit: 3 });
  const { cidr, blockSize } = oneOf(context, scenario.pools);
  const [first] = items;
  const block = first ? cidrOf(first.cidr) : { ...cidr, prefix: blockSize };
  const range = oneOf(context, [
    block,
    block,
    block,
    cidr,
    cidrOf("192.0.2.0/28"),
    { ...cidr, prefix: blockSize + 1 },
  ]);
  const since = owners.moment;
  const page = await releaseRange(requestOf(context), {
    space: SPACE,
    host,
    cidr: range,
    mustBeEmpty: chance(context, 0.5),
  });
  if (page instanceof Rejection) return scheduler.count(`answer: ${page.code}`);
  for (const released of page.items) {
    scheduler.count(`affinity: ${released.status}`);
    owners.hearReleased(host, released, since);
  }
}

/** Checks a list of all hosts: each entry was true at some moment since the request. */
async function listOwned(context: Context, { owners, scheduler }: Life): Promise<void> {
  const since = owners.moment;
  const page = await listSpaceAffinities(requestOf(context), { space: SPACE, limit: 20 });
  if (page instanceof Rejection) return scheduler.count(`answer: ${page.code}`);
  for (const { cidr, host, affinityType, state } of page.items) {
    scheduler.count(`affinity: ${state}`);
    owners.hearClaimed(hostId(affinityType, host), { cidr, status: "claimed" }, since);
  }
}

async function releaseAll(context: Context, life: Life, host: HostId): Promise<void> {
  const mustBeEmpty = chance(context, 0.3);
  let position: Address | undefined;
  do {
    const since = life.owners.moment;
    const page = await releaseAffinities(requestOf(context), {
      space: SPACE,
      host,
      mustBeEmpty,
      position,
    });
    for (const released of page.items) {
      life.scheduler.count(`affinity: ${released.status}`);
      life.owners.hearReleased(host, released, since);
    }
    position = page.next;
  } while (position);
}

/**
 * Releases the affinities of all blocks of a pool. A worker carries that out, or the first
 * scheduled run after all others have ended.
 */
async function releaseAny(context: Context, { scheduler, scenario }: Life): Promise<void> {
  const names = scenario.pools.map(({ name }) => name);
  const answer = await releasePool(requestOf(context), {
    space: SPACE,
    name: oneOf(context, [...names, "wanted-0"]),
    mustBeEmpty: chance(context, 0.5),
  });
  if (answer instanceof Rejection) return scheduler.count(`answer: ${answer.code}`);
  if (chance(context, 0.5)) await runJobs(context);
}

async function endHost(context: Context, life: Life, host: HostId): Promise<void> {
  life.crew?.judge.leaving(host);
  const answer = await life.ledger.endingHost(host, () =>
    releaseHost(requestOf(context), SPACE, host),
  );
  life.scheduler.count(`release by host: ${answer.complete ? "complete" : "goes on"}`);
}

const otherSize = ({ blockSize, cidr }: PoolSpec) =>
  blockSize > cidr.prefix ? blockSize - 1 : blockSize + 1;

export const manual = (range: string): PoolSpec => ({
  cidr: cidrOf(range),
  blockSize: 31,
  disabled: false,
  assignmentMode: "Manual",
  allowedUses: ["Workload"],
  borrowing: "allowed",
});

/**
 * Returns a revision for `If-Match`: mostly the one that was read, sometimes none or an outdated
 * one.
 */
export function ifMatch(context: Context, seen: string | undefined): string | undefined {
  const how = context.random.fraction();
  return how < 0.75 ? seen : how < 0.9 ? undefined : "stale";
}

export const chance = ({ random }: Context, share: number) => random.fraction() < share;
export const oneOf = <T>({ random }: Context, choices: readonly T[]): T =>
  choices[Math.floor(random.fraction() * choices.length)] as T;
