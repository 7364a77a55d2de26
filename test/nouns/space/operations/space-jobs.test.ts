import { beforeEach, describe, expect, it } from "vitest";
import { JOB_ITEMS_PER_SLICE, JOB_KEPT_MS } from "../../../../src/base/limits.ts";
import { Rejection } from "../../../../src/base/outcome.ts";
import type { Context } from "../../../../src/kernel/core/context.ts";
import { type Store, withCalls } from "../../../../src/kernel/core/store.ts";
import { runJobs } from "../../../../src/maintenance/run-jobs.ts";
import { SPACE_JOB_ID } from "../../../../src/nouns/job/job.ts";
import { putPool, putReservation } from "../../../../src/nouns/pool/operations/administration.ts";
import { deletePool } from "../../../../src/nouns/pool/operations/pool-jobs.ts";
import { deleteNode, putNode } from "../../../../src/nouns/registry/operations/nodes.ts";
import { deleteSpace } from "../../../../src/nouns/space/operations/space-jobs.ts";
import type { Table } from "../../../../src/table/table.ts";
import { reclaimSpaces, work } from "../../../scheduled-runs.ts";
import { callsOf, withIntruder, withMishap } from "../../../simulation/crash-points.ts";
import {
  BLUE,
  configureBlue,
  deleteBlue,
  furnishBlue,
  leftInBlue,
  limitBlue,
  nameInBlue,
  reserveInBlue,
} from "../../../spaces.ts";
import { contextOver, makeWorld, poolOf, SPACE, type World } from "../../../world.ts";

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});

const RANGE = "10.0.0.0/24";
const addPool = (context: Context) => putPool(context, BLUE, "main", poolOf(RANGE, 26), undefined);
const job = () => world.calm.store.readJob(BLUE, SPACE_JOB_ID);

const workOver = (table: Table) => runJobs(contextOver(table, world.clock, 3));
const other = () => contextOver(world.table, world.clock, 4);

/** Returns a world in which a job is about to delete the space. */
async function beingDeleted(): Promise<World> {
  const world = await makeWorld();
  await furnishBlue(world.calm);
  await deleteBlue(world.calm);
  return world;
}

/** Returns a function that has just started, with some calls of its store replaced. */
function functionOf(replaced: (store: Store) => Partial<Store>): Context {
  const context = contextOver(world.table, world.clock, 5);
  return { ...context, store: withCalls(context.store, replaced(context.store)) };
}

describe("the deletion of a space", () => {
  it("removes what an operator left there, and then the space itself", async () => {
    await furnishBlue(world.calm);
    expect(leftInBlue(world)).toEqual([
      "CONFIG",
      "NAMESPACE#shop",
      "QUOTA#all",
      "RESERVATION#routers",
      BLUE,
    ]);
    expect(await deleteBlue(world.calm)).toMatchObject({
      job: { id: SPACE_JOB_ID, kind: "space.delete", state: "running" },
    });
    expect(await runJobs(world.calm)).toMatchObject({ jobs: 2, ended: 1, failures: [] });
    expect(await job()).toMatchObject({
      state: "done",
      removed: 4,
      detail: "The space is deleted: 4 items were removed.",
    });
    expect(leftInBlue(world)).toEqual([]);
  });

  it("tells caches, and lets the name be used again at once", async () => {
    await furnishBlue(world.calm);
    const before = await world.calm.store.readVersion(BLUE);
    await deleteBlue(world.calm);
    await runJobs(world.calm);
    expect(await world.calm.store.readVersion(BLUE)).not.toBe(before);
    expect(await addPool(world.calm)).toMatchObject({ created: true });
    await furnishBlue(world.calm);
  });

  it("goes slice by slice through more namespaces than one has room for", async () => {
    for (let n = 0; n < JOB_ITEMS_PER_SLICE + 1; n++) await nameInBlue(world.calm, `ns-${n}`);
    await deleteBlue(world.calm);
    expect(await runJobs(world.calm)).toMatchObject({ jobs: 3, ended: 1 });
    expect(await job()).toMatchObject({ state: "done", removed: JOB_ITEMS_PER_SLICE + 1 });
  });

  it("of a space that has nothing is rejected", async () => {
    expect(await deleteBlue(world.calm)).toMatchObject({ code: "not_found" });
  });

  it("finds its job again, also after its end, until the name is used or the job is forgotten", async () => {
    await furnishBlue(world.calm);
    const first = await deleteBlue(world.calm);
    expect(await deleteBlue(world.calm)).toEqual(first);
    await runJobs(world.calm);
    expect(await deleteBlue(world.calm)).toMatchObject({ job: { state: "done" } });
    await reserveInBlue(world.calm, "new");
    expect(await deleteBlue(world.calm)).toMatchObject({ job: { state: "running", removed: 0 } });
    await runJobs(world.calm);
    world.clock.nowMs += JOB_KEPT_MS + 1;
    await runJobs(world.calm);
    expect(await deleteBlue(world.calm)).toMatchObject({ code: "not_found" });
  });

  it("names what is in a space that is not empty", async () => {
    await furnishBlue(world.calm);
    await addPool(world.calm);
    for (let n = 0; n < 12; n++)
      await putNode(world.calm, BLUE, `n${n}`, { labels: {} }, undefined);
    expect(await deleteBlue(world.calm)).toMatchObject({
      code: "space_in_use",
      detail: `Space blue has pools main; nodes n0, n1, n10, n11, n2, n3, n4, n5, n6, n7 and others; delete what is in it first.`,
      members: { contents: { pools: ["main"], nodes: expect.arrayContaining(["n0", "n7"]) } },
    });
    expect(leftInBlue(world)).toContain("RESERVATION#routers");
  });

  it("waits for pools that are being deleted, and says so", async () => {
    await addPool(world.calm);
    expect(await deleteBlue(world.calm)).not.toHaveProperty("members.retryable");
    await deletePool(world.calm, BLUE, "main", { match: "any" });
    expect(await deleteBlue(world.calm)).toMatchObject({
      code: "space_in_use",
      detail: "Space blue has pools main, being deleted; delete the space after that.",
      members: { retryable: true },
    });
    await work(world.calm, world.clock, 8);
    expect(await deleteBlue(world.calm)).toHaveProperty("job");
  });

  it("sees a node behind entries of the register that have none", async () => {
    for (let n = 0; n < 25; n++)
      await world.calm.store.enterNode({ space: BLUE, name: `m${n}`, id: "id", atMs: 1 });
    await putNode(world.calm, BLUE, "n1", { labels: {} }, undefined);
    expect(await deleteBlue(world.calm)).toMatchObject({ code: "space_in_use" });
    await deleteNode(world.calm, BLUE, "n1", { match: "any" });
    expect(await deleteBlue(world.calm)).toMatchObject({ code: "not_found" });
  });

  it("needs every item to be readable, because it may be anything", async () => {
    await furnishBlue(world.calm);
    const items = world.table.partitions.get(`SPACE#${BLUE}`);
    const routers = items?.get("RESERVATION#routers");
    if (!items || !routers) throw new Error("there is no reservation");
    items.set("RESERVATION#routers", { ...routers, f: 99 });
    await expect(deleteBlue(world.calm)).rejects.toThrow("reservation routers");
    items.set("RESERVATION#routers", routers);
    await deleteBlue(world.calm);
    items.set("RESERVATION#routers", { ...routers, f: 99 });
    await runJobs(world.calm);
    expect(await job()).toMatchObject({
      state: "failed",
      detail: expect.stringMatching(
        /^The space is not deleted: .*reservation routers has format 99/,
      ),
    });
    items.set("RESERVATION#routers", routers);
  });

  it("leaves the space of every other name alone", async () => {
    await furnishBlue(world.calm);
    await deleteBlue(world.calm);
    await runJobs(world.calm);
    expect(await deleteSpace(world.calm, SPACE)).toMatchObject({
      code: "space_in_use",
      members: { contents: { pools: ["pool"] } },
    });
  });
});

describe("what appears while a space is deleted", () => {
  it.each<readonly [string, (context: Context) => Promise<unknown>, RegExp]>([
    ["a pool", addPool, /: it has pools main\. 0 items were removed before\.$/],
    [
      "a node",
      (context) => putNode(context, BLUE, "n1", { labels: {} }, undefined),
      /: it has nodes n1\. /,
    ],
    ["a reservation", (context) => reserveInBlue(context, "new"), /something was written in it/],
    [
      "a reservation that was there",
      (context) => reserveInBlue(context, "routers", "10.0.0.2"),
      /written/,
    ],
    ["a namespace", (context) => nameInBlue(context, "late"), /something was written in it/],
  ])("%s ends the job, and everything stays", async (_, write, why) => {
    await furnishBlue(world.calm);
    await deleteBlue(world.calm);
    await write(world.calm);
    const there = leftInBlue(world);
    await runJobs(world.calm);
    expect(await job()).toMatchObject({ state: "failed", detail: expect.stringMatching(why) });
    expect(leftInBlue(world)).toEqual(there);
    expect(await runJobs(world.calm)).toMatchObject({ jobs: 0 });
  });

  it("stays where its author was slow: the register has the space again", async () => {
    await furnishBlue(world.calm);
    await deleteBlue(world.calm);
    const operator = functionOf((store) => ({
      putPool: async (pool, seen) => {
        if (pool.state === "pending") await runJobs(world.calm);
        return store.putPool(pool, seen);
      },
    }));
    expect(await addPool(operator)).toMatchObject({ created: true });
    expect(await job()).toMatchObject({ state: "failed" });
  });

  it("ends the job also after `reclaim` forgot that it appeared", async () => {
    await furnishBlue(world.calm);
    await deleteBlue(world.calm);
    await reserveInBlue(world.calm, "new");
    expect(await reclaimSpaces(world.calm, [BLUE])).toMatchObject({ spacesDropped: 1 });
    await runJobs(world.calm);
    expect(await job()).toMatchObject({ state: "failed" });
    expect(leftInBlue(world)).toContain("RESERVATION#new");
  });

  it("does not end the job if it is gone again", async () => {
    await furnishBlue(world.calm);
    await deleteBlue(world.calm);
    const worker = functionOf((store) => ({
      deleteSpaceEntry: async (seen) => {
        await putNode(world.calm, BLUE, "n1", { labels: {} }, undefined);
        await deleteNode(world.calm, BLUE, "n1", { match: "any" });
        return store.deleteSpaceEntry(seen);
      },
    }));
    await runJobs(worker);
    expect(await job()).toMatchObject({ state: "done" });
  });
});

describe("the entry of a space in the register", () => {
  it("stays while a job deletes the space, and may go after a job that failed", async () => {
    await furnishBlue(world.calm);
    await deleteBlue(world.calm);
    expect(await reclaimSpaces(world.calm, [BLUE])).toMatchObject({ spacesDropped: 0 });
    await putNode(world.calm, BLUE, "n1", { labels: {} }, undefined);
    await runJobs(world.calm);
    expect(await job()).toMatchObject({ state: "failed" });
    expect(await reclaimSpaces(world.calm, [BLUE])).toMatchObject({ spacesDropped: 1 });
  });

  it("that is gone lets no job that failed stand for a deletion", async () => {
    await world.calm.store.registerSpace(BLUE, "r");
    await deleteBlue(world.calm);
    await putNode(world.calm, BLUE, "n1", { labels: {} }, undefined);
    await runJobs(world.calm);
    await deleteNode(world.calm, BLUE, "n1", { match: "any" });
    await reclaimSpaces(world.calm, [BLUE]);
    expect(await deleteBlue(world.calm)).toMatchObject({ code: "not_found" });
  });

  it("with another revision than the request saw ends a job that was cut off before its mark", async () => {
    await furnishBlue(world.calm);
    const seen = await world.calm.store.readSpaceEntry(BLUE);
    const dying = functionOf(() => ({
      markSpace: async () => {
        throw new Error("cut off");
      },
    }));
    await expect(deleteBlue(dying)).rejects.toThrow("cut off");
    expect(await job()).toMatchObject({ state: "running", spaceRevision: seen?.revision });
    await reserveInBlue(world.calm, "new");
    await runJobs(world.calm);
    expect(await job()).toMatchObject({ state: "failed", removed: 0 });
    expect(leftInBlue(world)).toContain("RESERVATION#new");
  });

  it("is not marked by a request that lands late, after somebody wrote", async () => {
    await furnishBlue(world.calm);
    let landLate = async (): Promise<unknown> => undefined;
    const dying = functionOf(({ markSpace }) => ({
      markSpace: async (...mark) => {
        landLate = () => markSpace(...mark);
        throw new Error("cut off");
      },
    }));
    await expect(deleteBlue(dying)).rejects.toThrow("cut off");
    const worker = functionOf(() => ({
      listNamespaces: async () => {
        throw new Error("cut off");
      },
    }));
    expect(await runJobs(worker)).toMatchObject({ failures: [expect.any(Error)] });
    expect(await job()).toMatchObject({ markedAtMs: world.clock.nowMs });
    await reserveInBlue(world.calm, "new");
    await landLate();
    await runJobs(world.calm);
    expect(leftInBlue(world)).toContain("RESERVATION#new");
  });

  it("that a writer gives another revision makes the request begin anew", async () => {
    await furnishBlue(world.calm);
    let times = 0;
    const operator = functionOf((store) => ({
      markSpace: async (...mark) => {
        if (times++ === 0) await reserveInBlue(world.calm, "new");
        return store.markSpace(...mark);
      },
    }));
    const answer = await deleteBlue(operator);
    if (answer instanceof Rejection) throw new Error(answer.detail);
    expect(answer.job).toMatchObject({ state: "running" });
    await runJobs(world.calm);
    expect(leftInBlue(world)).toEqual([]);
  });
});

const WRITES: readonly (readonly [string, (context: Context) => Promise<unknown>])[] = [
  ["RESERVATION#routers", (context) => reserveInBlue(context, "routers", "10.0.0.2")],
  ["RESERVATION#new", (context) => reserveInBlue(context, "new")],
  ["QUOTA#all", (context) => limitBlue(context, 20)],
  ["NAMESPACE#late", (context) => nameInBlue(context, "late")],
  ["NAMESPACE#shop", (context) => nameInBlue(context, "shop", "other")],
  ["CONFIG", (context) => configureBlue(context, 8)],
  ["POOL#main", addPool],
];

describe.each(WRITES)("what is written meanwhile, %s,", (left, write) => {
  it("stays whatever call of the worker it comes before", async () => {
    const count = (await callsOf((await beingDeleted()).table, workOver)).length;
    for (let at = 0; at < count; at++) {
      world = await beingDeleted();
      await workOver(withIntruder(world.table, at, async () => void (await write(other()))));
      await workOver(world.table);
      expect(leftInBlue(world), `call ${at}`).toContain(left);
      expect((await job())?.state, `call ${at}`).not.toBe("running");
    }
  });

  it("stays where a write of the worker lands after everything else", async () => {
    const count = (await callsOf((await beingDeleted()).table, workOver)).length;
    for (let at = 0; at < count; at++) {
      world = await beingDeleted();
      const late = "the request lands after everything else";
      const { landLate } = await withMishap(world.table, at, late, workOver);
      await workOver(world.table);
      await write(other());
      await workOver(world.table);
      await landLate();
      await workOver(world.table);
      expect(leftInBlue(world), `call ${at}`).toContain(left);
    }
  });
});

it("two workers at once delete a space once", async () => {
  await furnishBlue(world.calm);
  await deleteBlue(world.calm);
  const other = contextOver(world.table, world.clock, 6);
  const runs = await Promise.all([runJobs(world.calm), runJobs(other)]);
  expect(runs.flatMap(({ failures }) => failures)).toEqual([]);
  await runJobs(other);
  expect(await job()).toMatchObject({ state: "done" });
  expect(leftInBlue(world)).toEqual([]);
});

it("a reservation that was put under an older revision does not come back", async () => {
  await furnishBlue(world.calm);
  const { reservations } = await world.calm.store.readSpace(BLUE);
  await deleteBlue(world.calm);
  await runJobs(world.calm);
  const [seen] = reservations;
  if (!seen) throw new Error("there is no reservation");
  const changed = await putReservation(world.calm, BLUE, seen.name, seen, seen.revision);
  expect(changed).toMatchObject({ code: "precondition_failed" });
});
