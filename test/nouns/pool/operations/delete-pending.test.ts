import { describe, expect, it } from "vitest";
import { Rejection } from "../../../../src/base/outcome.ts";
import { findViolations } from "../../../../src/invariants/invariants.ts";
import type { Context } from "../../../../src/kernel/core/context.ts";
import type { Precondition } from "../../../../src/kernel/core/written.ts";
import { putPool, readPool } from "../../../../src/nouns/pool/operations/administration.ts";
import { type Accepted, deletePool } from "../../../../src/nouns/pool/operations/pool-jobs.ts";
import { beforeEachCall } from "../../../each-call.ts";
import { from, put, RED, remove as removeRanged, setIn } from "../../../operations/ranged-pools.ts";
import { work } from "../../../scheduled-runs.ts";
import { callsOf, withMishap } from "../../../simulation/crash-points.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  copyOf,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
  type World,
} from "../../../world.ts";

const RANGE = "10.9.0.0/28";
const GREEN = setIn("10.9.0.10-10.9.0.15");
const DAY_MS = 24 * 60 * 60 * 1000;
const create = (context: Context, blockSize = 30) =>
  putPool(context, SPACE, "half", poolOf(RANGE, blockSize), undefined);
const read = (context: Context) => readPool(context, SPACE, "half");

async function revisionIn(context: Context): Promise<string | undefined> {
  const pool = await read(context);
  return pool instanceof Rejection ? undefined : pool.revision;
}

const remove = async (context: Context): Promise<Accepted | Rejection> =>
  deletePool(context, SPACE, "half", await revisionIn(context));

/** Returns the calls of a creation that completes. */
async function callsOfCreation(): Promise<readonly string[]> {
  const { table, clock } = await makeWorld();
  return callsOf(table, (own) => create(contextOver(own, clock, 2)));
}

/** Returns a world for each call before which a cut-off leaves the pool pending, with the name of the call. */
async function cutOff(): Promise<readonly (readonly [string, World])[]> {
  const cut: [string, World][] = [];
  for (const [at, call] of (await callsOfCreation()).entries()) {
    const world = await makeWorld();
    await withMishap(world.table, at, "killed before the call", (own) =>
      create(contextOver(own, world.clock, 2)),
    );
    const pool = await read(world.calm);
    if (!(pool instanceof Rejection) && pool.state === "pending") cut.push([call, world]);
  }
  return cut;
}

it("a PUT continues a creation that was cut off: with the ETag of the pending pool, with none, or as one that only creates", async () => {
  for (const [call, world] of await cutOff())
    for (const precondition of [
      await revisionIn(world.calm),
      { match: "any" } as const,
      { noneMatch: "any" } as const,
      undefined,
    ]) {
      const { table, clock } = copyOf(world);
      const context = contextOver(table, clock, 5);
      const again = (of: Precondition) => putPool(context, SPACE, "half", poolOf(RANGE, 30), of);
      expect(await again("stale"), call).toMatchObject({
        code: "precondition_failed",
        detail: "The pool half has changed since it was read, and is not changed; read it again.",
      });
      expect(await again(precondition), call).toMatchObject({ value: { state: "active" } });
    }
});

/** Checks that the name and the range can be used again, and that their addresses can be assigned. */
async function expectFree(world: World, where: string): Promise<void> {
  expect(findViolations(contentsIn(world)), where).toEqual([]);
  expect(await create(world.calm, 31), where).toMatchObject({ created: true });
  const request = { ...requestOf("heir", 1), pools: ["half"] };
  expect((await assigned(world.calm, request)).addresses, where).toMatchObject([{ pool: "half" }]);
  expect(findViolations(contentsIn(world)), where).toEqual([]);
}

describe("a pool that is still pending is deleted at once", () => {
  it("wherever its creation was cut off: no run of the worker has to come by", async () => {
    const cut = await cutOff();
    expect(cut.map(([call]) => call)).toEqual(expect.arrayContaining(["change-plan", "put-pool"]));
    for (const [call, world] of cut) {
      const nowMs = world.clock.nowMs;
      expect(await remove(world.calm), call).toMatchObject({
        job: { state: "done", detail: "The pool is deleted; its name and its range are free." },
        effectiveAtMs: nowMs,
      });
      expect(await read(world.calm), call).toMatchObject({ code: "not_found" });
      expect(
        contentsIn(world).plans.flatMap(({ entries }) => entries),
        call,
      ).toHaveLength(1);
      await expectFree(world, call);
    }
  });

  it("beside an empty block of an earlier pool of its subnet, which the repair run deletes", async () => {
    const world = await makeWorld();
    const { calm, clock, table } = world;
    await put(calm, "red", RED);
    await releaseAll(calm, await assigned(calm, from("gone", 1, "red")));
    const calls = await callsOf(copyOf(world).table, (own) =>
      put(contextOver(own, clock, 2), "heir", GREEN),
    );
    await withMishap(table, calls.lastIndexOf("put-pool"), "killed before the call", (own) =>
      put(contextOver(own, clock, 2), "heir", GREEN),
    );
    await removeRanged(calm, "red");
    await work(calm, clock, 8);
    expect(await readPool(calm, SPACE, "red")).toMatchObject({ code: "not_found" });
    const heir = await readPool(calm, SPACE, "heir");
    expect(heir).toMatchObject({ state: "pending" });
    const left = () => contentsIn(world).blocks.filter(({ pool }) => pool === "red");
    expect(left()).toHaveLength(1);
    expect(findViolations(contentsIn(world))).toEqual([]);

    const { revision } = heir as Exclude<typeof heir, Rejection>;
    expect(await deletePool(calm, SPACE, "heir", revision)).toMatchObject({
      job: { state: "done" },
    });
    await scheduledRuns(world, 2, DAY_MS);
    expect(left()).toEqual([]);
    await expectFree(world, "the subnet");
  });

  it("only as it was seen", async () => {
    const [[, world] = []] = await cutOff();
    if (!world) throw new Error("no creation was cut off");
    const { calm } = world;
    expect(await deletePool(calm, SPACE, "half", undefined)).toMatchObject({
      code: "precondition_required",
    });
    expect(await deletePool(calm, SPACE, "half", "another")).toMatchObject({
      code: "precondition_failed",
    });
    expect(await read(calm)).toMatchObject({ state: "pending" });
  });

  it.each([
    { slow: "its creator", quick: "who deletes it" },
    { slow: "who deletes it", quick: "its creator" },
  ])(
    "or not, as they are told, where $quick comes between two calls of $slow",
    async ({ slow }) => {
      const isMaking = slow === "its creator";
      const make = (context: Context) => create(context);
      const drop = (context: Context, { seen }: { readonly seen: string | undefined }) =>
        deletePool(context, SPACE, "half", seen);
      const met = new Set<string>();
      await beforeEachCall(
        async () => {
          const world = await pending();
          return { ...world, world, seen: await revisionIn(world.calm) };
        },
        async (context, of) => (isMaking ? make(context) : drop(context, of)),
        async (context, of) => (isMaking ? drop(context, of) : make(context)),
        async ({ world }, { ours, theirs, where }) => {
          expect(findViolations(contentsIn(world)), where).toEqual([]);
          const [created, deleted] = isMaking ? [ours, theirs] : [theirs, ours];
          const isCreated = !(created instanceof Rejection);
          const pool = await read(world.calm);
          if (isCreated) expect(pool, where).toMatchObject({ state: "active" });
          else {
            expect(deleted, where).toMatchObject({ job: { state: "done" } });
            expect(pool, where).toMatchObject({ code: "not_found" });
            await expectFree(world, where);
          }
          const [first, second] = [isCreated, !(deleted instanceof Rejection)];
          met.add(`${first ? "created" : "lost"}, ${second ? "deleted" : "lost"}`);
        },
      );
      // A creation after the deletion creates the pool anew. The deletion leaves a pool alone that was created meanwhile.
      const both = ["created, deleted", "created, lost"];
      expect([...met].sort()).toEqual(isMaking ? [...both, "lost, deleted"] : both);
    },
  );
});

/** Returns a world in which a creation was cut off after it entered its range into the plan. */
async function pending(): Promise<World> {
  const last = (await cutOff()).at(-1);
  if (!last) throw new Error("no creation was cut off");
  return last[1];
}
