import { describe, expect, it } from "vitest";
import { findViolations } from "../../../src/invariants/invariants.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import { runJobs } from "../../../src/maintenance/run-jobs.ts";
import { formatSet } from "../../../src/net/address-set.ts";
import { RANGE_RETIRED_MS_MIN } from "../../../src/nouns/job/job.ts";
import { drainPool } from "../../../src/nouns/pool/operations/pool-jobs.ts";
import { intervals } from "../../builders.ts";
import { cutOffBefore } from "../../operations/cut-off.ts";
import {
  from,
  HEIR,
  heldInRed,
  NARROW_RED,
  put,
  RED,
  remove,
  setIn,
} from "../../operations/ranged-pools.ts";
import { work } from "../../scheduled-runs.ts";
import { answerOf, stoppedBefore } from "../../simulation/crash-points.ts";
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
  SPACE,
  type World,
} from "../../world.ts";

async function redWorld(): Promise<World> {
  const world = await makeWorld();
  await heldInRed(world);
  return world;
}

const narrow = ({ calm }: World) => put(calm, "red", NARROW_RED);
const inherit = ({ calm }: World) => put(calm, "heir", HEIR);
const retiringOf = async (world: World) =>
  formatSet((await poolNamed(world, "red")).retiring ?? []);
const jobsIn = async ({ calm }: World) => (await calm.store.listJobs(SPACE)).items;
const REFUSED = { code: "pool_overlap", members: { retryable: true } };

describe("what is taken out of a ranged pool", () => {
  it("is another pool's only after every function knows, and nothing of it is in use", async () => {
    const world = await redWorld();
    const { calm, clock } = world;
    await narrow(world);
    const sinceMs = clock.nowMs;
    while ((await retiringOf(world)).length > 0) {
      expect(await inherit(world)).toMatchObject(REFUSED);
      await work(calm, clock, 1);
    }
    expect(clock.nowMs - sinceMs).toBeGreaterThanOrEqual(RANGE_RETIRED_MS_MIN);
    expect(await inherit(world)).toMatchObject({ created: true });
    expect(await jobsIn(world)).toMatchObject([{ kind: "pool.shrink", state: "done" }]);
  });

  it("is rejected while it is assigned, by its addresses", async () => {
    const world = await redWorld();
    const request = { ...from("used", 1, "red"), addresses: [addressOf("10.9.0.5")] };
    await assigned(world.calm, request);
    expect(await narrow(world)).toMatchObject({
      code: "pool_in_use",
      members: { taken: 1, addresses: ["10.9.0.5"] },
    });
    expect(await retiringOf(world)).toEqual([]);
  });

  it("stays with the pool while it cools", async () => {
    const world = await redWorld();
    const { calm, clock } = world;
    const request = { ...from("used", 1, "red"), addresses: [addressOf("10.9.0.5")] };
    await releaseAll(calm, await assigned(calm, request));
    await put(calm, "red", { ...RED, cooldownSeconds: 3_600 });
    await put(calm, "red", { ...NARROW_RED, cooldownSeconds: 3_600 });
    await work(calm, clock, 20);
    expect(await inherit(world)).toMatchObject(REFUSED);
    clock.nowMs += 3_600_000;
    await work(calm, clock, 1);
    expect(await inherit(world)).toMatchObject({ created: true });
  });

  it("stays with the pool while a host has it that was assigned it by an old copy of the configuration", async () => {
    const world = await redWorld();
    const { calm, clock, table } = world;
    const slow = stoppedBefore(table, (step) => step === "take-slots");
    const request = { ...from("late", 1, "red"), addresses: [addressOf("10.9.0.5")] };
    const late = answerOf(assign(contextOver(slow.table, clock, 8), request));
    await slow.stops;
    await narrow(world);
    slow.goOn();
    expect(await late).toMatchObject({ addresses: [{ address: "10.9.0.5" }] });
    expect(findViolations(contentsIn(world))).toEqual([]);
    await work(calm, clock, 5);
    expect(await inherit(world)).toMatchObject(REFUSED);
    expect(await jobsIn(world)).toMatchObject([
      { state: "running", detail: "Waits for 1 address to be released." },
    ]);
  });

  it("can be had again by its own pool", async () => {
    const world = await redWorld();
    await narrow(world);
    expect(await put(world.calm, "red", RED)).toMatchObject({ created: false });
    expect(await retiringOf(world)).toEqual([]);
    await assigned(world.calm, from("all", 5, "red"));
    await work(world.calm, world.clock, 4);
    expect(await jobsIn(world)).toMatchObject([{ state: "done" }]);
    expect(await inherit(world)).toMatchObject({ code: "pool_overlap" });
  });

  it("can be had again only in part if that leaves no more than 1,024 runs to free", async () => {
    const { calm } = await makeWorld();
    const wide = (...ranges: string[]) => ({
      ...poolOf("10.9.0.0/16", 26),
      ranges: intervals(...ranges),
    });
    const first = "10.9.0.0";
    await put(calm, "red", wide("10.9.0.0-10.9.255.255"));
    await put(calm, "red", wide(first));
    const some = (count: number) =>
      Array.from({ length: count }, (_, n) => `10.9.${1 + (n >> 5)}.${8 * (n & 31)}`);
    const rejected = await put(calm, "red", wide(first, ...some(1_024)));
    expect(rejected).toMatchObject({
      code: "invalid_request",
      members: { fields: [{ field: "ranges", problem: expect.stringMatching(/1025 separate/) }] },
    });
    expect(await put(calm, "red", wide(first, ...some(1_023)))).toMatchObject({ created: false });
    expect(await put(calm, "red", { ...wide(first, ...some(1_023)), mtu: 1_400 })).toMatchObject({
      created: false,
    });
  });

  it("waits anew when more is taken out", async () => {
    const world = await redWorld();
    const { calm, clock } = world;
    await narrow(world);
    await work(calm, clock, 1);
    clock.nowMs += RANGE_RETIRED_MS_MIN - 1_000;
    await put(calm, "red", setIn("10.9.0.1-10.9.0.3"));
    expect(await retiringOf(world)).toEqual(["10.9.0.0", "10.9.0.4-10.9.0.5"]);
    await work(calm, clock, 1);
    expect(await inherit(world)).toMatchObject(REFUSED);
    await work(calm, clock, 3);
    expect(await inherit(world)).toMatchObject({ created: true });
  });

  it("goes with the pool when that is deleted first", async () => {
    const world = await redWorld();
    const { calm, clock } = world;
    await put(calm, "blue", setIn("10.9.0.6"));
    await remove(calm, "blue");
    await work(calm, clock, 6);
    expect(await put(calm, "heir", setIn("10.9.0.7-10.9.0.9"))).toMatchObject({ created: true });
    const ended = (await jobsIn(world)).map(({ kind, state }) => `${kind} ${state}`);
    expect(ended.sort()).toEqual(["pool.delete done", "pool.shrink cancelled"]);
  });

  it("is freed also by a pool that is drained meanwhile", async () => {
    const world = await redWorld();
    const { calm, clock } = world;
    await narrow(world);
    await drainPool(calm, SPACE, "red", (await poolNamed(world, "red")).revision);
    await work(calm, clock, 5);
    expect(await inherit(world)).toMatchObject({ created: true });
  });
});

describe("a change that was cut off", () => {
  it("after it took addresses out leaves them to the job that the next one who wants them begins", async () => {
    const world = await redWorld();
    await cutOffBefore(world, "create-job", (context) => put(context, "red", NARROW_RED));
    expect(await jobsIn(world)).toEqual([]);
    expect(await inherit(world)).toMatchObject(REFUSED);
    await work(world.calm, world.clock, 4);
    expect(await inherit(world)).toMatchObject({ created: true });
  });

  it("before it added addresses leaves them to the job too", async () => {
    const world = await redWorld();
    const wide = setIn("10.9.0.0-10.9.0.5", "10.9.0.12");
    await cutOffBefore(world, "put-pool", (context) => put(context, "red", wide));
    const heir = () => put(world.calm, "heir", setIn("10.9.0.12"));
    expect(await heir()).toMatchObject(REFUSED);
    await work(world.calm, world.clock, 4);
    expect(await heir()).toMatchObject({ created: true });
    expect(await poolNamed(world, "red")).not.toHaveProperty("adding");
  });
});

/** Makes a world in which the worker of a narrowed pool stalls before a write, and something happens meanwhile. */
async function whileStalled(before: string, meanwhile: (world: World) => Promise<unknown>) {
  const world = await redWorld();
  const { calm, clock, table } = world;
  await narrow(world);
  await work(calm, clock, 1);
  clock.nowMs += 120_000;
  const slow = stoppedBefore(table, (step) => step === before);
  const run = answerOf(runJobs(contextOver(slow.table, clock, 8)));
  await slow.stops;
  await meanwhile(world);
  slow.goOn();
  await run;
  return world;
}

describe("a worker that frees what left a pool", () => {
  it("frees nothing that the pool took back meanwhile", async () => {
    const world = await whileStalled("shrink-pool", ({ calm }) => put(calm, "red", RED));
    expect(formatSet((await poolNamed(world, "red")).ranges ?? [])).toEqual(["10.9.0.0-10.9.0.5"]);
  });

  it("does not end the job of a change that came after it looked", async () => {
    const narrower = setIn("10.9.0.1-10.9.0.3");
    const world = await whileStalled("end-job", ({ calm }) => put(calm, "red", narrower));
    const { calm, clock } = world;
    expect(await jobsIn(world)).toMatchObject([{ state: "running" }]);
    await work(calm, clock, 1 + Math.ceil(COOLDOWN_SECONDS / 60) + 3);
    expect(await put(calm, "heir", setIn("10.9.0.0"))).toMatchObject({ created: true });
  });
});
