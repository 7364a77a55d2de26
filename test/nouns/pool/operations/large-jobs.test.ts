import { describe, expect, it } from "vitest";
import { Rejection, UnavailableError } from "../../../../src/base/outcome.ts";
import { groupAt, groupIndexOf, groupOf } from "../../../../src/kernel/values/block-group.ts";
import { freshId } from "../../../../src/kernel/values/fresh.ts";
import type { HostId } from "../../../../src/kernel/values/host.ts";
import { runJobs, type Worked } from "../../../../src/maintenance/run-jobs.ts";
import { type Cidr, cidrOf, sizeOf } from "../../../../src/net/cidr.ts";
import type { PoolJob } from "../../../../src/nouns/job/job.ts";
import {
  type Accepted,
  deletePool,
  drainPool,
  readJob,
  releasePool,
} from "../../../../src/nouns/pool/operations/pool-jobs.ts";
import type { Item } from "../../../../src/table/item.ts";
import { blockPk } from "../../../../src/table/key.ts";
import type { Table } from "../../../../src/table/table.ts";
import { slowTable, VirtualClock } from "../../../virtual-clock.ts";
import {
  contentsIn,
  contextOver,
  makeWorld,
  poolNamed,
  poolOf,
  SPACE,
  tableOf,
  type World,
} from "../../../world.ts";

const MINUTE_MS = 60_000;
const CALL_MS = 15;
const BLOCKS = 10_240;
const GROUP_BLOCKS = 64;

describe("a job over a large pool", () => {
  it.each([
    ["a drain", drainPool, 3],
    ["a delete", deletePool, 3],
  ] as const)("%s is over after a few runs of the worker", async (_, begin, runs) => {
    const { world, time } = await largeWorld(BLOCKS);
    const { revision } = await poolNamed(world);
    const { job } = accepted(await begin(world.calm, SPACE, "pool", revision));
    for (let run = 0; run < runs; run++) await worked(time, tableOf(world), run);
    expect(contentsIn(world).blocks).toEqual([]);
    expect(await now(world, job)).toMatchObject({ state: "done" });
  });

  it("reads the map of its pool once in a run, and the plan only where it begins and ends", async () => {
    const { world, time } = await largeWorld(BLOCKS);
    const { revision } = await poolNamed(world);
    accepted(await deletePool(world.calm, SPACE, "pool", revision));
    const reads = { maps: 0, plans: 0 };
    const counted: Table = {
      ...tableOf(world),
      query: (pk, options) => {
        if (pk.startsWith("GROUPINDEX#")) reads.maps++;
        return world.table.query(pk, options);
      },
      get: (key) => {
        if (key.pk.startsWith("PLAN#")) reads.plans++;
        return world.table.get(key);
      },
    };
    const { groups } = await worked(time, counted, 0);
    expect(groups).toBe(BLOCKS / GROUP_BLOCKS);
    expect(reads).toEqual({ maps: 1, plans: 2 });
  });

  it("a release of its affinities is over after a few runs of the worker", async () => {
    const { world, time } = await largeWorld(BLOCKS);
    const { job } = await released(world);
    for (let run = 0; run < 2; run++) await worked(time, tableOf(world), run);
    expect(contentsIn(world).blocks.filter(({ host }) => host !== undefined)).toEqual([]);
    expect(await now(world, job)).toMatchObject({ state: "done" });
  });
});

describe("a block group that cannot be worked on", () => {
  it.each([
    [
      "since a block of it cannot be read",
      outdated,
      /Waits for unreadable items: the item of block 10\.0\.0\.0/,
    ],
    ["since the table does not answer for it", silent, /what failed: it does not answer/],
  ] as const)(
    "keeps no other from being drained, and the job from its end: %s",
    async (_, spoil, told) => {
      const { world, time } = await largeWorld(10 * GROUP_BLOCKS);
      const { revision } = await poolNamed(world);
      const { job } = accepted(await deletePool(world.calm, SPACE, "pool", revision));
      const bad = spoil(world, await groupNumbered(world, 0));
      for (let run = 0; run < 5; run++) await worked(time, bad.table, run);
      const left = contentsIn(world).blocks.length + contentsIn(world).unreadable.length;
      expect(left).toBeLessThanOrEqual(GROUP_BLOCKS);
      const waiting = await now(world, job);
      expect(waiting).toMatchObject({ state: "running", detail: expect.stringMatching(told) });
      expect(waiting.lastWalk?.blocks).toBeGreaterThan(0);
      expect((await poolNamed(world)).state).toBe("deleting");

      bad.mend();
      for (let run = 0; run < 5; run++) await worked(time, tableOf(world), 10 + run);
      expect(await now(world, job)).toMatchObject({ state: "done" });
      expect(contentsIn(world).blocks).toEqual([]);
    },
  );

  it("is come back to by a release, which takes no block of another block group from its host twice", async () => {
    const { world, time } = await largeWorld(4 * GROUP_BLOCKS);
    const { job } = await released(world);
    const bad = silent(world, await groupNumbered(world, 0));
    await worked(time, bad.table, 0);
    expect(contentsIn(world).blocks).toHaveLength(GROUP_BLOCKS);
    expect(await now(world, job)).toMatchObject({ state: "running", lastWalk: { passedBy: 1 } });

    // A host claims a block again, which it may do during this job.
    await putBlock(world, 2 * GROUP_BLOCKS, "host:again", time.nowMs);
    await worked(time, bad.table, 1);
    await worked(time, tableOf(world), 2);
    expect(contentsIn(world).blocks).toMatchObject([{ host: "host:again" }]);
    expect(await now(world, job)).toMatchObject({ state: "done" });
  });

  it("keeps no other job waiting, however long each of its calls takes", async () => {
    const { world, time } = await largeWorld(20 * GROUP_BLOCKS);
    const first = await released(world);
    const { revision } = await poolNamed(world);
    const second = accepted(await drainPool(world.calm, SPACE, "pool", revision));
    expect(first.job.id).not.toBe(second.job.id);
    const { table } = world;
    const stuck: Table = {
      ...tableOf(world),
      query: async (pk, options) => {
        if (pk.startsWith("BLOCK#")) {
          await time.sleep(2_000);
          throw new UnavailableError("it does not answer");
        }
        return table.query(pk, options);
      },
    };
    const before = [await now(world, first.job), await now(world, second.job)];
    const { jobs } = await worked(time, stuck, 0);
    expect(jobs).toBeGreaterThanOrEqual(2);
    const after = [await now(world, first.job), await now(world, second.job)];
    for (const [n, job] of after.entries()) {
      expect(job.updatedAtMs).toBeGreaterThan(before[n]?.updatedAtMs ?? 0);
      expect(job).toMatchObject({ state: "running", lastWalk: { passedBy: 20 } });
    }
  });
});

/** Returns a world whose pool has `blocks` empty blocks past their minimum age, each of another host. */
async function largeWorld(blocks: number) {
  const world = await makeWorld(poolOf("10.0.0.0/10", 26));
  for (let n = 0; n < blocks; n++) await putBlock(world, n, `host:node-${n}`, world.clock.nowMs);
  const time = new VirtualClock(world.clock.nowMs + 60 * MINUTE_MS);
  world.clock.nowMs = time.nowMs;
  return { world, time };
}

/** Creates the n-th block of the pool and its affinity. */
async function putBlock(world: World, n: number, host: HostId, claimedAtMs: number): Promise<void> {
  const { store, random } = world.calm;
  const pool = await poolNamed(world);
  const cidr = blockNumbered(pool.cidr, n);
  const revision = freshId(claimedAtMs, random);
  if (n % GROUP_BLOCKS === 0)
    await store.addGroup(SPACE, pool.id, groupIndexOf(pool, groupOf(cidr)));
  const affinity = { space: SPACE, host, family: 4, place: 0, block: cidr, pool: "pool" } as const;
  await store.createAffinity({ ...affinity, state: "confirmed", revision, atMs: claimedAtMs });
  await store.createBlock({
    ...{ space: SPACE, cidr, host, pool: "pool", poolId: pool.id, claimedAtMs },
    ...{ slots: new Map(), epoch: revision, revision },
  });
}

const blockNumbered = (pool: Cidr, n: number): Cidr => {
  const size = sizeOf({ ...pool, prefix: 26 });
  return cidrOf({ family: 4, value: pool.base + BigInt(n) * BigInt(size) }, 26);
};

/** Returns the key of the partition of a block group. */
async function groupNumbered(world: World, index: number): Promise<string> {
  return blockPk(SPACE, groupAt(await poolNamed(world), BigInt(index)));
}

/** Runs the worker a minute after its last run, and checks that the run ends within a minute. */
async function worked(time: VirtualClock, table: Table, seed: number): Promise<Worked> {
  const startedAtMs = time.nowMs + MINUTE_MS;
  time.nowMs = startedAtMs;
  const slow = contextOver(slowTable(table, time, CALL_MS), time, seed);
  const done = await time.run(() => runJobs(slow));
  expect(time.nowMs - startedAtMs).toBeLessThan(MINUTE_MS);
  time.nowMs = startedAtMs;
  return done;
}

/** Gives a block of the block group the format of another version; `mend` restores it. */
function outdated({ table }: World, pk: string) {
  const group = table.partitions.get(pk) as Map<string, Item>;
  const [item] = [...group.values()] as [Item];
  group.set(item.sk, { ...item, f: 99 });
  return { table: tableOf({ table } as World), mend: () => void group.set(item.sk, item) };
}

/** Returns a table in which a query of the block group fails. */
function silent({ table }: World, pk: string) {
  const silentTable: Table = {
    ...tableOf({ table } as World),
    query: async (asked, options) => {
      if (asked === pk) throw new UnavailableError("it does not answer");
      return table.query(asked, options);
    },
  };
  return { table: silentTable, mend: () => {} };
}

async function released(world: World): Promise<Pick<Accepted, "job">> {
  return accepted(
    await releasePool(world.calm, { space: SPACE, name: "pool", mustBeEmpty: false }),
  );
}

function accepted<T>(answer: T | Rejection): T {
  if (answer instanceof Rejection) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

async function now({ calm }: World, { id }: PoolJob): Promise<PoolJob> {
  return accepted(await readJob(calm, SPACE, id)) as PoolJob;
}
