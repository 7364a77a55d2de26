import { EVERY_SHARD } from "../../../src/base/hash.ts";
import { blocksOfGroup, groupAt } from "../../../src/kernel/values/block-group.ts";
import { hashOfValue } from "../../../src/kernel/values/index-entry.ts";
import type { CiliumReport } from "../../../src/nouns/cilium/report.ts";
import { drainJobId } from "../../../src/nouns/job/job.ts";
import type { NodeReport } from "../../../src/nouns/node/node-report.ts";
import { TOMBSTONE_KEPT_MS } from "../../../src/nouns/node/operations/end-node.ts";
import type { StatedRanges } from "../../../src/nouns/node/stated-ranges.ts";
import type { Tombstone } from "../../../src/nouns/node/tombstone.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import type { Budget } from "../../../src/nouns/quota/budget.ts";
import type { Quota } from "../../../src/nouns/quota/quota.ts";
import { NO_USAGE } from "../../../src/nouns/utilization/usage.ts";
import type { Item, Key } from "../../../src/table/item.ts";
import { allocationKey, jobKey } from "../../../src/table/key.ts";
import { KIND_NAMES, kindNameOf } from "../../../src/table/kinds.ts";
import { applicationWith } from "../../builders.ts";
import { putHeld } from "../allocations.ts";
import { drafted } from "../drafts.ts";
import { EARLIER_MS, someId } from "../drawn.ts";
import type { Fact } from "../fact.ts";
import type { LargeTable } from "../large-table.ts";
import { COLLECT, minutesUntil, RECLAIM, WORK } from "../runs.ts";
import { FIRST_FAILURE_STOPS_ALL } from "../sabotages.ts";
import {
  affinityItem,
  blockItem,
  fullBlockItem,
  fullPoolItem,
  indexPages,
  type NewCloud,
  namesOfOneShard,
  poolOf,
  putSpace,
} from "../scene.ts";
import { BESIDE, type UserRequest, usersOf } from "./users.ts";

const MINUTES = 6;

/** Returns the facts that an unreadable item does not keep the others from being handled. */
export const unreadableFacts = (): readonly Fact[] => [
  {
    name: "One item that cannot be read stops nothing but what is judged by it, and that it stops",
    size: `an item of each of ${BROKEN.length} kinds in turn, in a space that shares its shard with another`,
    bound: 0,
    unit: "things left undone, or done unjudged",
    broken: FIRST_FAILURE_STOPS_ALL,
    async measure(newCloud) {
      const undone: string[] = [];
      for (const kind of BROKEN) undone.push(...(await undoneBeside(kind, newCloud)));
      return undone.length;
    },
  },
];

/**
 * All kinds of items but `TABLE`, without which Plat reads no table. A new kind is included
 * automatically.
 */
const BROKEN = KIND_NAMES.filter((name) => name !== "TABLE");

/**
 * The requests that must wait until an item is readable, because it has the settings, the
 * reservations or the quotas of a space.
 */
const JUDGED_BY: Readonly<Record<string, readonly UserRequest[]>> = {
  "SPACE/CONFIG": ["an assign", "a read of an address", "a list of blocks"],
  "SPACE/RESERVATION": ["an assign", "a list of blocks"],
  "SPACE/QUOTA": ["an assign"],
};

/**
 * Returns the work that is not done while an item of a kind is unreadable in the first of two
 * spaces of a shard.
 */
async function undoneBeside(kind: string, newCloud: NewCloud): Promise<readonly string[]> {
  const cloud = await newCloud();
  const { clock, items } = cloud;
  const [first = "", second = ""] = namesOfOneShard();
  for (const space of [first, second]) putWork(items, space);
  for (const shard of EVERY_SHARD)
    items.put(drafted((store) => store.writeProgress(shard, { itemsBefore: 1_000 })));
  return clock.run(async () => {
    const beside = await usersOf(cloud, first);
    for (const item of brokenItems(items, kind, first)) items.put({ ...item, f: 99 });
    const judged = JUDGED_BY[kind] ?? [];
    const undone = await beside.undone();
    const refused = undone.filter((request) => !judged.includes(request));
    const unjudged = judged.filter((request) => !undone.includes(request));
    let left = workOf(second);
    await minutesUntil(cloud, [...RECLAIM, ...COLLECT, ...WORK], MINUTES, () => {
      left = left.filter(({ key, isDone }) => !isDone(items.get(key)));
      return left.length === 0;
    });
    return [...refused, ...unjudged, ...left.map(({ key }) => `${key.pk} ${key.sk}`)].map(
      (wrong) => `${kind}: ${wrong}`,
    );
  });
}

/**
 * Returns one item of a kind in a space that does not belong to the users beside it. If items of
 * the kind belong to no space, it returns all of them.
 */
function brokenItems(items: LargeTable, kind: string, space: string): readonly Item[] {
  const all = [...items.scan()].filter((item) => kindNameOf(item) === kind);
  const [own] = all.filter(
    ({ pk, sk }) => `${pk}#${sk}#`.split("#").includes(space) && !`${pk}#${sk}`.includes(BESIDE),
  );
  if (all.length === 0) throw new Error(`no item is of the kind ${kind}`);
  return own ? [own] : all;
}

interface Task {
  readonly key: Key;
  isDone(item: Item | undefined): boolean;
}

const tasks = new Map<string, readonly Task[]>();
const workOf = (space: string): readonly Task[] => tasks.get(space) ?? [];

/** Returns a quota that limits none of the requests beside it, with what it has counted. */
function quotaItemsOf(space: string): readonly Item[] {
  const of = { space, quota: "team" };
  const quota: Quota = {
    ...{ space, name: of.quota, tenant: "elsewhere", revision: someId() },
    ...{ addresses: 100, requestsPerSecond: 10 },
  };
  const budget: Budget = {
    ...of,
    ...{ of: "addresses", round: someId(), roundAtMs: EARLIER_MS, used: 1, old: 0 },
  };
  return [
    drafted((store) => store.putQuota(quota, undefined)),
    drafted((store) => store.createBudget(budget)),
    drafted((store) =>
      store.beginSecond({ ...of, second: EARLIER_MS / 1_000, taken: 1 }, undefined),
    ),
  ];
}

/** Returns what a cluster said of a node, and the end of an earlier node of its name. */
function nodeLifeItems(space: string): readonly Item[] {
  const of = { space, name: "node-0" };
  const incarnation = { uid: "uid-1", resourceVersion: "1", createdAtMs: EARLIER_MS };
  const report: NodeReport = {
    ...of,
    ...incarnation,
    podCidrs: [],
    conditions: [["Ready", "True"]],
    isUnschedulable: false,
    zone: "",
    isExcluded: false,
    seenAtMs: EARLIER_MS,
    isRegistering: false,
    annotations: [],
    revision: someId(),
  };
  const stated: StatedRanges = {
    ...{ space, node: "node-0", uid: "uid", by: "request" },
    cidrs: [],
    revision: someId(),
  };
  const tombstone: Tombstone = {
    ...of,
    ...incarnation,
    uid: "uid-0",
    by: "replaced",
    state: "freed",
    sinceMs: EARLIER_MS,
    dueAtMs: EARLIER_MS + TOMBSTONE_KEPT_MS,
    revision: someId(),
  };
  const ciliumReport: CiliumReport = {
    ...of,
    uid: "uid-1",
    mode: "cluster-pool",
    withdrawAfterSeconds: 60,
    resourceVersion: "1",
    object: { ipam: {}, status: {} },
    entries: [],
    excessSinceMs: {},
    seenAtMs: EARLIER_MS,
    isEnding: false,
    revision: someId(),
  };
  return [
    drafted((store) => store.createReport(report)),
    drafted((store) =>
      store.putSignOfLife({ ...of, renewedAt: "2026-01-01T00:00:00Z", seenAtMs: EARLIER_MS }),
    ),
    drafted((store) => store.createCiliumReport(ciliumReport)),
    drafted((store) => store.createTombstone(tombstone)),
    drafted((store) => store.createStated(stated)),
    drafted((store) => store.putMachine({ ...of, id: `i-${space}`, uid: "uid-1" })),
  ];
}

/**
 * Puts work for the scheduled runs: an idle block, an ended lease, a cut-off request, an affinity
 * without its block, and a pool to drain. It also puts one item of every other kind.
 */
function putWork(items: LargeTable, space: string): void {
  const pool = poolOf(space, "main", "10.0.0.0/20");
  const drained: Pool = poolOf(space, "drained", "10.1.0.0/20", { disabled: true });
  const beside = poolOf(space, BESIDE, "10.2.0.0/20", { id: BESIDE });
  putSpace(items, space, [pool, drained, beside], {}, ["10.0.15.0/26"]);
  items.put(fullPoolItem(pool));
  items.put(
    drafted((store) =>
      store.noteLending({
        ...{ space, poolId: pool.id, page: 0n },
        hints: new Map([[0n, { atMs: EARLIER_MS }]]),
      }),
    ),
  );
  items.put(
    drafted((store) =>
      store.putPoolUsage({
        ...{ space, poolId: pool.id, pool: pool.name, family: 4, usage: NO_USAGE },
        ...{ countedFromMs: EARLIER_MS, countedAtMs: EARLIER_MS, samples: [] },
      }),
    ),
  );
  const [idle, held, lost] = blocksOfGroup(pool, groupAt(pool, 0n));
  const [empty] = blocksOfGroup(drained, groupAt(drained, 0n));
  if (!idle || !held || !lost || !empty) throw new Error("a pool without blocks");
  const idleSinceMs = EARLIER_MS;
  const idleBlock = blockItem(pool, { cidr: idle, host: "host:node-0", idleSinceMs });
  const emptyBlock = blockItem(drained, { cidr: empty, host: "host:node-0", idleSinceMs });
  items.put(idleBlock);
  items.put(emptyBlock);
  items.put(affinityItem(pool, "host:node-0", 0, idle));
  items.put(affinityItem(drained, "host:node-0", 1, empty));
  const affinity = affinityItem(pool, "host:node-1", 0, held);
  items.put(affinity);
  items.put(fullBlockItem(affinity));
  const borrowedBlock = { space, host: "host:node-0", block: held, state: "confirmed" } as const;
  items.put(
    drafted((store) =>
      store.putBorrowedBlock(
        "borrowed",
        { ...borrowedBlock, revision: someId(), atMs: EARLIER_MS },
        undefined,
      ),
    ),
  );
  for (const each of [pool, drained]) for (const page of indexPages(each, [0n])) items.put(page);
  const allocations = putHeld(items, pool, { cidr: held, host: "host:node-1" }, [
    { handle: `${space}-leased`, changes: { expiresAtMs: EARLIER_MS } },
    { handle: `${space}-cut-off`, changes: { state: "pending" } },
    { handle: `${space}-live` },
  ]);
  const at = { space, atMs: EARLIER_MS };
  const [leased] = allocations;
  if (!leased) throw new Error("a block without its allocations");
  const entry = { attribute: "team", valueHash: hashOfValue("shop"), place: leased.place };
  items.put(
    drafted((store) => store.putIndexEntry({ ...at, ...entry, revision: someId() }, undefined)),
  );
  items.put(
    drafted((store) =>
      store.putQuotaSlot(
        {
          ...at,
          handle: `${space}-live`,
          family: 4,
          number: 0,
          allocation: { id: "gone", keyed: false },
          revision: someId(),
        },
        undefined,
      ),
    ),
  );
  items.put(
    drafted((store) =>
      store.createNode({ ...at, name: "node-0", id: someId(), labels: {}, revision: someId() }),
    ),
  );
  items.put(drafted((store) => store.enterNode({ ...at, name: "node-0", id: someId() })));
  for (const item of [...nodeLifeItems(space), ...quotaItemsOf(space)]) items.put(item);
  items.put(drafted((store) => store.createApplication(applicationWith({ space }))));
  items.put(
    drafted((store) =>
      store.createNamespace({ ...at, name: "shop", labels: {}, revision: someId() }),
    ),
  );
  const id = drainJobId(drained.id, drained.revision);
  items.put(
    drafted((store) =>
      store.createJob({
        space,
        id,
        kind: "pool.drain",
        pool: drained.name,
        poolId: drained.id,
        poolRevision: drained.revision,
        state: "running",
        createdAtMs: EARLIER_MS,
        updatedAtMs: EARLIER_MS,
        markedAtMs: EARLIER_MS,
        detail: "",
        revision: someId(),
      }),
    ),
  );
  const orphan = affinityItem(pool, "host:node-2", 0, lost);
  items.put(orphan);
  const isGone = (item: Item | undefined) => item === undefined;
  tasks.set(space, [
    { key: idleBlock, isDone: isGone },
    { key: emptyBlock, isDone: isGone },
    { key: orphan, isDone: isGone },
    ...allocations.slice(0, 2).map(({ place }) => ({ key: allocationKey(place), isDone: isGone })),
    { key: jobKey(space, id), isDone: (item) => item?.state === "done" },
  ]);
}
