import { beforeEach, describe, expect, it } from "vitest";
import { CLOCK_SKEW_MS_MAX, GRACE_MS, JOB_KEPT_MS } from "../../src/base/limits.ts";
import { Rejection } from "../../src/base/outcome.ts";
import { formatTime } from "../../src/base/time.ts";
import { findViolations } from "../../src/invariants/invariants.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import { claimBlock } from "../../src/kernel/blocks/claim-block.ts";
import { withCalls } from "../../src/kernel/core/store.ts";
import { ClaimCharge } from "../../src/kernel/quotas/claim-charge.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { blocksOfGroup, groupAt } from "../../src/kernel/values/block-group.ts";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import { parseInterval } from "../../src/net/cidr.ts";
import { readAddress } from "../../src/nouns/address/operations/read-address.ts";
import type { PoolJob } from "../../src/nouns/job/job.ts";
import { RANGE_RETIRED_MS_MIN } from "../../src/nouns/job/job.ts";
import {
  putPool,
  putReservation,
  readPool,
} from "../../src/nouns/pool/operations/administration.ts";
import {
  type Accepted,
  deletePool,
  drainPool,
  readJob,
} from "../../src/nouns/pool/operations/pool-jobs.ts";
import { makeStore } from "../../src/store/stack.ts";
import type { Table, Write } from "../../src/table/table.ts";
import { reclaimAll, repairAll } from "../scheduled-runs.ts";
import { withMishap } from "../simulation/crash-points.ts";
import {
  addressOf,
  assigned,
  COOLDOWN_SECONDS,
  contentsIn,
  contextOver,
  makeWorld,
  poolNamed,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../world.ts";

const RANGE = "10.0.0.0/28";
const MINUTE_MS = 60_000;

let world: World;
beforeEach(async () => {
  world = await makeWorld(poolOf(RANGE, 31));
});

const revision = async () => (await poolNamed(world)).revision;

async function drained(): Promise<Accepted> {
  return accepted(await drainPool(world.calm, SPACE, "pool", await revision()));
}

async function deleted(): Promise<Accepted> {
  return accepted(await deletePool(world.calm, SPACE, "pool", await revision()));
}

function accepted(answer: Accepted | Rejection): Accepted {
  if (answer instanceof Rejection) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

/** Reads the current state of the job. */
async function now({ id }: PoolJob): Promise<PoolJob> {
  const job = await readJob(world.calm, SPACE, id);
  if (job instanceof Rejection) throw new Error(job.detail);
  return job as PoolJob;
}

/** Runs the worker every minute, each time in a function that has just started. */
async function work(minutes: number): Promise<void> {
  for (let n = 0; n < minutes; n++) {
    world.clock.nowMs += MINUTE_MS;
    const { failures } = await runJobs(contextOver(world.table, world.clock, 100 + n));
    expect(failures).toEqual([]);
  }
}

const names = async () =>
  (await world.calm.store.readSpace(SPACE)).pools.map(({ name }) => name).sort();

describe("a drain", () => {
  it("lets nobody have an address of the pool, not even a function that remembers a block with room", async () => {
    await assigned(world.calm, requestOf("pod", 1));
    const { job } = await drained();
    expect(job).toMatchObject({ kind: "pool.drain", state: "running", pool: "pool" });
    const rejection = { code: "no_pool_available" };
    expect(await assign(world.calm, requestOf("own", 1))).toMatchObject(rejection);
    const other = { ...requestOf("other", 1), host: "host:node-2" } as const;
    expect(await assign(world.calm, other)).toMatchObject(rejection);
    expect(await assign(world.calm, { ...other, pools: ["pool"] })).toMatchObject(rejection);
    const specific = { ...other, addresses: [addressOf("10.0.0.14")] };
    expect(await assign(world.calm, specific)).toMatchObject(rejection);
  });

  it("leaves what is assigned to its owners, says how many it waits for, and is done when no block is left", async () => {
    const told = await assigned(world.calm, requestOf("pod", 3));
    const { job } = await drained();
    await work(5);
    expect(await now(job)).toMatchObject({
      state: "running",
      detail: "Waits for 3 addresses to be released.",
      lastWalk: { blocks: 2, taken: 3 },
    });
    expect(
      await readAddress(world.calm, SPACE, addressOf(told.addresses[0]?.address ?? "")),
    ).toMatchObject({
      state: "assigned",
      handle: "pod",
    });
    await releaseAll(world.calm, told);
    await runJobs(world.calm);
    const cooled = world.clock.nowMs + 1_000 * COOLDOWN_SECONDS + CLOCK_SKEW_MS_MAX;
    expect(await now(job)).toMatchObject({
      detail: `Waits for 3 addresses to cool, until ${formatTime(cooled)}.`,
    });
    await work(4);
    expect(await now(job)).toMatchObject({ state: "done", lastWalk: { blocks: 0, taken: 0 } });
    expect(contentsIn(world).blocks).toEqual([]);
    expect(await poolNamed(world)).toMatchObject({ state: "active", disabled: true });
  });

  it("keeps no blocks warm for hosts that are in use", async () => {
    world = await makeWorld(poolOf(RANGE, 31), { warmBlocksPerHost: 2 });
    const kept = await assigned(world.calm, requestOf("kept", 1));
    await releaseAll(world.calm, await assigned(world.calm, requestOf("gone", 4)));
    world.clock.nowMs += 2 * MINUTE_MS;
    for (let round = 0; round < 3; round++) {
      await reclaimAll(world.calm);
      world.clock.nowMs += MINUTE_MS;
    }
    expect(contentsIn(world).blocks.length).toBeGreaterThan(1);
    await drained();
    await work(3);
    expect(contentsIn(world).blocks).toHaveLength(1);
    expect(kept.addresses).toHaveLength(1);
  });

  it("is over for nothing before it is in force everywhere", async () => {
    const { job, effectiveAtMs } = await drained();
    await runJobs(world.calm);
    expect(await now(job)).toMatchObject({ state: "running" });
    world.clock.nowMs = effectiveAtMs;
    await runJobs(world.calm);
    expect(await now(job)).toMatchObject({ state: "done" });
  });

  it("is cancelled by enabling the pool again, which then serves as before", async () => {
    await assigned(world.calm, requestOf("pod", 1));
    const { job } = await drained();
    await work(1);
    await putPool(world.calm, SPACE, "pool", poolOf(RANGE, 31), await revision());
    await work(1);
    expect(await now(job)).toMatchObject({
      state: "cancelled",
      detail: "The pool was enabled again.",
    });
    expect(await assign(world.calm, requestOf("more", 1))).toMatchObject({ handle: "more" });
  });

  it("asked for after the pool was enabled again stops new assignments, though no worker came by", async () => {
    const before = await drained();
    await putPool(world.calm, SPACE, "pool", poolOf(RANGE, 31), await revision());
    const again = await drained();
    expect(await poolNamed(world)).toMatchObject({ disabled: true });
    expect(await now(before.job)).toMatchObject({ state: "cancelled" });
    expect(again.effectiveAtMs).toBeGreaterThanOrEqual(world.clock.nowMs);
    world.clock.nowMs = again.effectiveAtMs;
    expect(await assign(world.calm, requestOf("late", 1))).toMatchObject({
      code: "no_pool_available",
    });
    await work(2);
    expect(await now(again.job)).toMatchObject({ state: "done" });
  });

  it("of a pool that changed since it was read is rejected, though the database did not say that the job failed", async () => {
    const seen = await revision();
    let answers = 0;
    const changing = contextOver(
      {
        ...tableOf(world),
        write: async (write) => {
          if (write.step === "end-job" && answers++ === 0) return { outcome: "unknown" };
          const result = await world.table.write(write);
          const spec = { ...poolOf(RANGE, 31), cooldownSeconds: 7 };
          if (write.step === "create-job") await putPool(world.calm, SPACE, "pool", spec, seen);
          return result;
        },
      },
      world.clock,
      7,
    );
    expect(await drainPool(changing, SPACE, "pool", seen)).toMatchObject({
      code: "precondition_failed",
    });
  });

  it("asked for twice is one job, and needs the pool as it was seen", async () => {
    expect(await drainPool(world.calm, SPACE, "pool", undefined)).toMatchObject({
      code: "precondition_required",
    });
    expect(await drainPool(world.calm, SPACE, "pool", "another")).toMatchObject({
      code: "precondition_failed",
    });
    expect(await drainPool(world.calm, SPACE, "other", "another")).toMatchObject({
      code: "not_found",
    });
    const first = await drained();
    expect((await drained()).job.id).toBe(first.job.id);
  });

  it("that was cut off before the pool was disabled is carried on, unless the pool has changed since", async () => {
    const cutOff = async () => {
      const seen = await revision();
      await withMishap(world.table, 3, "killed before the call", (table) =>
        drainPool(contextOver(table, world.clock, 7), SPACE, "pool", seen),
      );
      const job = contentsIn(world).jobs.find(({ state }) => state === "running");
      expect(await poolNamed(world)).toMatchObject({ disabled: false });
      if (job?.kind !== "pool.drain") throw new Error("no job was begun");
      return job;
    };
    const lost = await cutOff();
    const changed = { ...poolOf(RANGE, 31), cooldownSeconds: 7 };
    await putPool(world.calm, SPACE, "pool", changed, await revision());
    await work(1);
    expect(await now(lost)).toMatchObject({ state: "failed" });
    const carriedOn = await cutOff();
    await work(2);
    expect(await now(carriedOn)).toMatchObject({ state: "done" });
    expect(await poolNamed(world)).toMatchObject({ disabled: true });
  });
});

describe("a delete", () => {
  it("of a pool in use is rejected with the number of addresses, unless it was drained first", async () => {
    await assigned(world.calm, requestOf("pod", 3));
    expect(await deletePool(world.calm, SPACE, "pool", await revision())).toMatchObject({
      code: "pool_in_use",
      members: { taken: 3 },
    });
    const drain = await drained();
    const { job } = await deleted();
    await work(5);
    expect(await now(job)).toMatchObject({ detail: "Waits for 3 addresses to be released." });
    expect(await now(drain.job)).toMatchObject({ state: "cancelled" });
    expect(await names()).toEqual(["pool"]);
    await releaseHandle(world.calm, SPACE, "pod");
    await work(6);
    expect(await now(job)).toMatchObject({ state: "done" });
    expect(await names()).toEqual([]);
  });

  it("serves nobody from then on, says so, and asked for again is the same job", async () => {
    const { job } = await deleted();
    expect(await assign(world.calm, requestOf("pod", 1))).toMatchObject({
      code: "no_pool_available",
      members: { pools: [{ pool: "pool", code: "state" }] },
    });
    const specific = { ...requestOf("pod", 1), addresses: [addressOf("10.0.0.3")] };
    expect(await assign(world.calm, specific)).toMatchObject({
      detail: "Address 10.0.0.3 lies in pool pool, which is being deleted.",
    });
    expect(await readPool(world.calm, SPACE, "pool")).toMatchObject({ state: "deleting" });
    const again = await deletePool(world.calm, SPACE, "pool", undefined);
    expect(again).toMatchObject({ job: { id: job.id } });
    const change = await putPool(world.calm, SPACE, "pool", poolOf(RANGE, 31), undefined);
    expect(change).toEqual(
      expect.objectContaining({ code: "pool_deleting", members: { job: job.id } }),
    );
    const late = { code: "pool_deleting", members: { job: job.id, retryable: false } };
    expect(await drainPool(world.calm, SPACE, "pool", await revision())).toMatchObject(late);
    const spec = poolOf(RANGE, 31);
    const match = await revision();
    expect(await putPool(world.calm, SPACE, "pool", spec, match)).toMatchObject(late);
  });

  it("leaves reads and releases as they were", async () => {
    const told = await assigned(world.calm, requestOf("pod", 1));
    await drained();
    await deleted();
    const address = addressOf(told.addresses[0]?.address ?? "");
    expect(await readAddress(world.calm, SPACE, address)).toMatchObject({ handle: "pod" });
    expect(await releaseAll(world.calm, told)).toMatchObject([{ status: "released" }]);
  });

  it("keeps the range until no copy of the configuration can know it, and a walk after that found no block", async () => {
    const { job } = await deleted();
    const other = () => putPool(world.calm, SPACE, "other", poolOf("10.0.0.8/29", 30), undefined);
    const taken = { code: "pool_overlap", members: { retryable: true, job: job.id } };
    expect(await other()).toMatchObject(taken);
    const until = formatTime(world.clock.nowMs + RANGE_RETIRED_MS_MIN);
    const waits = `Waits until ${until}: until then, a function may still use the pool.`;
    expect(job.detail).toBe(`The pool assigns no more addresses. ${waits}`);
    world.clock.nowMs += RANGE_RETIRED_MS_MIN - 1;
    await runJobs(world.calm);
    expect(await now(job)).toMatchObject({ detail: waits });
    expect(await other()).toMatchObject(taken);
    world.clock.nowMs += 1;
    await runJobs(world.calm);
    expect(await now(job)).toMatchObject({ state: "done" });
    expect(await other()).toMatchObject({ created: true });
  });

  it("keeps the range, however old it is, as long as a block stands in it", async () => {
    await assigned(world.calm, requestOf("pod", 1));
    await drained();
    const { job } = await deleted();
    await work(60);
    expect(await now(job)).toMatchObject({ state: "running" });
    await releaseHandle(world.calm, SPACE, "pod");
    await work(4);
    expect(await now(job)).toMatchObject({ state: "done" });
  });

  it("of an older request of a function with an old configuration leaves it nothing to take", async () => {
    // The function reads its configuration, then pauses until another handle has addresses of the range.
    let frozen = false;
    const store = makeStore(world.table);
    const stalled = {
      ...contextOver(world.table, world.clock, 3),
      store: withCalls(store, {
        readHost: async (...of: Parameters<typeof store.readHost>) => {
          if (!frozen) {
            frozen = true;
            await deleted();
            await work(4);
            await putPool(world.calm, SPACE, "pool", poolOf(RANGE, 30), undefined);
            await assigned(world.calm, requestOf("heir", 4));
          }
          return store.readHost(...of);
        },
      }),
    };
    await expect(assign(stalled, requestOf("late", 2))).rejects.toThrow(
      "longer than a function can run",
    );
    expect(frozen).toBe(true);
    const { blocks, allocations } = contentsIn(world);
    expect(allocations.map(({ handle }) => handle)).toEqual(["heir"]);
    expect(blocks.some(({ cidr }) => cidr.prefix === 31)).toBe(true); // The late request claimed it.
    world.clock.nowMs += 2 * GRACE_MS;
    expect(await repairAll(world.calm)).toMatchObject({ failures: [] });
    expect(contentsIn(world).blocks.map(({ cidr }) => cidr.prefix)).toEqual([30]);
    world.clock.nowMs += 2 * GRACE_MS;
    await repairAll(world.calm);
    expect(findViolations(contentsIn(world), { quiet: true })).toEqual([]);
  });

  it.each([30, 31])(
    "makes room for a pool of the same name and range with blocks of /%i, which takes none of what is left of it",
    async (blockSize) => {
      const { calm, clock } = world;
      // Another function claims a block for the host. The write that creates the block arrives long after the pool is deleted.
      let late: Write | undefined;
      const losing: Table = {
        ...tableOf(world),
        write: async (write) => {
          if (write.step !== "create-block" || late) return world.table.write(write);
          late = write;
          return { outcome: "unknown" };
        },
      };
      const told = await assigned(contextOver(losing, clock, 4), requestOf("pod", 1));
      await releaseAll(calm, told);
      clock.nowMs += MINUTE_MS;
      await deleted();
      await work(8);
      expect(await names()).toEqual([]);
      expect(await putPool(calm, SPACE, "pool", poolOf(RANGE, blockSize), undefined)).toMatchObject(
        { created: true },
      );
      if (!late) throw new Error("nothing was lost");
      await world.table.write(late);
      expect(findViolations(contentsIn(world))).toEqual([]);
      const answer = await assigned(calm, { ...requestOf("heir", 8) });
      const cold = await assigned(contextOver(world.table, clock, 6), requestOf("cold", 2));
      for (const { block } of [...answer.addresses, ...cold.addresses])
        expect(block.endsWith(`/${blockSize}`)).toBe(true);
      const pool = await poolNamed(world);
      const inUse = contentsIn(world).blocks.filter(({ slots }) => slots.size > 0);
      expect(inUse.every(({ poolId }) => poolId === pool.id)).toBe(true);
      clock.nowMs += 20 * MINUTE_MS;
      for (let round = 0; round < 2; round++) {
        await reclaimAll(calm);
        await repairAll(calm);
        clock.nowMs += 2 * MINUTE_MS;
      }
      expect(contentsIn(world).blocks.every(({ poolId }) => poolId === pool.id)).toBe(true);
      expect(findViolations(contentsIn(world), { quiet: true })).toEqual([]);
    },
  );

  it("goes on after a worker that was killed when the range was free, whoever has it by then", async () => {
    await releaseAll(world.calm, await assigned(world.calm, requestOf("gone", 16)));
    const { job } = await deleted();
    await work(1);
    world.clock.nowMs += MINUTE_MS;
    const killed: Table = {
      ...tableOf(world),
      write: async (write) => {
        if (write.step === "delete-pool") throw new Error("killed");
        return world.table.write(write);
      },
    };
    const { failures } = await runJobs(contextOver(killed, world.clock, 5));
    expect(failures).toHaveLength(1);
    expect((await world.calm.store.readPlan(SPACE)).entries).toEqual([]);
    expect(await poolNamed(world)).toMatchObject({ state: "deleting" });
    expect(await putPool(world.calm, SPACE, "heir", poolOf(RANGE, 31), undefined)).toMatchObject({
      created: true,
    });
    const specific = { ...requestOf("heir", 1), addresses: [addressOf("10.0.0.5")] };
    await assigned(world.calm, specific);
    expect(await readAddress(world.calm, SPACE, addressOf("10.0.0.5"))).toMatchObject({
      pool: "heir",
    });
    await work(1);
    expect(await now(job)).toMatchObject({ state: "done" });
    expect(await names()).toEqual(["heir"]);
  });
});

describe("an empty block that an earlier pool of the same name and range left", () => {
  const orphan = async () => {
    world = await makeWorld(poolOf("10.0.0.0/31", 31));
    const { calm, clock } = world;
    const [block] = blocksOfGroup(await poolNamed(world), groupAt(await poolNamed(world), 0n));
    if (!block) throw new Error("the pool has no block");
    await calm.store.createBlock({
      space: SPACE,
      cidr: block,
      pool: "pool",
      poolId: "gone",
      host: "host:node-1",
      claimedAtMs: clock.nowMs,
      slots: new Map(),
      epoch: "epoch",
      revision: "revision",
      idleSinceMs: clock.nowMs,
    });
    return block;
  };
  const taken = () => contentsIn(world).blocks.filter(({ slots }) => slots.size > 0);

  it("serves nobody who would claim it, or asks for its address", async () => {
    await orphan();
    expect(await assign(world.calm, requestOf("pod", 1))).toMatchObject({ code: "pool_exhausted" });
    const specific = { ...requestOf("pod", 1), addresses: [addressOf("10.0.0.1")] };
    await expect(assign(world.calm, specific)).rejects.toThrow("left from an earlier pool");
    expect(taken()).toEqual([]);
  });

  it("is not seized, however long it has been idle", async () => {
    await orphan();
    world.clock.nowMs += 10 * MINUTE_MS;
    await world.calm.store.addGroup(SPACE, (await poolNamed(world)).id, 0n);
    const other = { ...requestOf("pod", 1), host: "host:node-2" } as const;
    expect(await assign(world.calm, other)).toMatchObject({ code: "pool_exhausted" });
    expect(contentsIn(world).blocks).toMatchObject([{ host: "host:node-1", revision: "revision" }]);
  });

  it("serves nobody who had lost the race for it", async () => {
    const block = await orphan();
    const affinity = { space: SPACE, host: "host:node-1", family: 4, place: 0, block } as const;
    const { store, now } = world.calm;
    const rest = { pool: "pool", revision: "revision", atMs: now() } as const;
    await store.createAffinity({ ...affinity, ...rest, state: "confirmed" });
    expect(await assign(world.calm, requestOf("pod", 1))).toMatchObject({ code: "pool_exhausted" });
    const charge = new ClaimCharge(world.calm, SPACE, { quotas: [] });
    const claimant = { pool: await poolNamed(world), host: affinity.host, charge };
    const claim = await claimBlock(world.calm, { ...claimant, affinities: [] }, block);
    expect(claim).toEqual({ kind: "busy" });
    const affinities = await store.listAffinities(SPACE, affinity.host);
    const other = await claimBlock(world.calm, { ...claimant, affinities }, block);
    expect(other).toEqual({ kind: "lost" });
    expect(taken()).toEqual([]);
  });

  it("is not judged by the rules of its successor, and goes with the next sweep", async () => {
    await orphan();
    await world.calm.store.addGroup(SPACE, (await poolNamed(world)).id, 0n);
    world.clock.nowMs += 2 * GRACE_MS;
    expect(await reclaimAll(world.calm)).toMatchObject({
      blocks: 1,
      markedIdle: 0,
      affinitiesRestored: 0,
    });
    expect(await repairAll(world.calm)).toMatchObject({ orphansDeleted: 1 });
    expect(await assign(world.calm, requestOf("pod", 2))).toMatchObject({ handle: "pod" });
  });
});

describe("a job", () => {
  it("that is over can be read for a week", async () => {
    const { job } = await drained();
    await work(2);
    world.clock.nowMs += JOB_KEPT_MS - 2 * MINUTE_MS;
    await runJobs(world.calm);
    expect(await now(job)).toMatchObject({ state: "done" });
    world.clock.nowMs += 3 * MINUTE_MS;
    await runJobs(world.calm);
    expect(await readJob(world.calm, SPACE, job.id)).toMatchObject({ code: "not_found" });
  });

  it("goes on in the next scheduled run with the block group after the last one looked at", async () => {
    world = await makeWorld(poolOf("10.0.0.0/16", 28)); // The pool has 64 block groups.
    for (let n = 0; n < 12; n++)
      await assigned(world.calm, { ...requestOf(`pod-${n}`, 1), host: `host:node-${n}` });
    const { job } = await drained();
    const current = contentsIn(world).maps.flatMap(({ groups }) => [...groups]).length;
    let walked = 0;
    for (let round = 0; round < current; round++) {
      // A block group takes half of a scheduled run.
      const slow = contextOver(world.table, world.clock, 5);
      const scanGroup: typeof slow.store.scanGroup = async (...look) => {
        world.clock.nowMs += 25_000;
        return slow.store.scanGroup(...look);
      };
      walked += (await runJobs({ ...slow, store: withCalls(slow.store, { scanGroup }) })).groups;
      if ((await now(job)).lastWalk) break;
    }
    expect(walked).toBe(current);
    expect(await now(job)).toMatchObject({ lastWalk: { groups: current, taken: 12, blocks: 12 } });
  });
});

it("a reservation that is added while assigns are in flight holds from its effectiveAt on", async () => {
  const reserved = parseInterval(RANGE);
  if (!reserved.ok) throw new Error(reserved.problem);
  const spec = { cidrs: [RANGE], intervals: [reserved.value] };
  let effectiveAtMs = 0;
  const store = makeStore(world.table);
  const stalled = {
    ...contextOver(world.table, world.clock, 3),
    store: withCalls(store, {
      readFullGroups: async (...of: Parameters<typeof store.readFullGroups>) => {
        const written = await putReservation(world.calm, SPACE, "all", spec, undefined);
        if (!(written instanceof Rejection)) ({ effectiveAtMs } = written);
        world.clock.nowMs = Math.max(world.clock.nowMs, effectiveAtMs);
        return store.readFullGroups(...of);
      },
    }),
  };
  await expect(assign(stalled, requestOf("late", 1))).rejects.toThrow("function can run");
  expect(effectiveAtMs).toBeGreaterThan(0);
  expect(await assign(stalled, requestOf("later", 1))).toMatchObject({ code: "pool_exhausted" });
  expect(contentsIn(world).allocations).toEqual([]);
});
