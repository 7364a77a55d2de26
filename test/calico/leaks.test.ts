import { describe, expect, it } from "vitest";
import { assign } from "../../src/kernel/assign/assign.ts";
import { fence } from "../../src/kernel/blocks/fence-block.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { blockFrom } from "../../src/kernel/items/block.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import type { Table, Write } from "../../src/table/table.ts";
import { network } from "../builders.ts";
import { spaceWithPool } from "../functions/plat.ts";
import { callsOf, MISHAPS, withMishap } from "../simulation/crash-points.ts";
import { callsToTry, oneIn } from "../simulation/sampled-calls.ts";
import {
  addressOf,
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  requestOf,
  SPACE,
  scheduledRuns,
  tableOf,
  type World,
} from "../world.ts";

/**
 * Cases in which Calico's IPAM leaks, races or repeats itself without end. `docs/calico.md` says what the tests are
 * named after.
 */

/** Returns a table that calls `come` before every write of a step, with the number of such writes so far. */
function intruded(
  world: World,
  step: string,
  come: (write: Write, time: number) => Promise<unknown>,
): Table {
  let times = 0;
  return {
    ...tableOf(world),
    write: async (write) => {
      if (write.step === step) await come(write, times++);
      return world.table.write(write);
    },
  };
}

const takenIn = (world: World): number =>
  contentsIn(world).blocks.reduce(
    (sum, { slots }) => sum + [...slots.values()].filter(({ kind }) => kind === "taken").length,
    0,
  );

describe("a lost compare-and-swap", () => {
  it("never counts twice: a specific address under a limit of one is given once it is free to be taken", async () => {
    const world = await makeWorld();
    const address = addressOf("10.0.0.1");
    const table = intruded(world, "take-slots", async (_, time) => {
      // The block's epoch changes during the write, twice.
      if (time < 2) await fence(world.calm, "unknown-fence", SPACE, network("10.0.0.0/31"));
    });
    const ask = (context: Context) =>
      assign(context, { ...requestOf("vm", 1), addresses: [address], limitPerHandle: 1 });
    const told = await ask(contextOver(table, world.clock, 2));
    expect(told).toMatchObject({ addresses: [{ address: "10.0.0.1" }] });
    expect(await ask(contextOver(world.table, world.clock, 3))).toEqual(told);
    const { quotaSlots, allocations } = contentsIn(world);
    expect(quotaSlots).toHaveLength(1);
    expect(allocations.filter(({ handle }) => handle === "vm")).toHaveLength(1);
  });
});

describe("a claim that another host wins", () => {
  it("is no error of the one who named an address in it", async () => {
    const world = await makeWorld();
    const table = intruded(world, "create-block", async (write, time) => {
      if (time > 0) return;
      await claimFor(world, write);
    });
    const told = await assign(contextOver(table, world.clock, 2), {
      ...requestOf("pod", 1),
      addresses: [addressOf("10.0.0.3")],
    });
    expect(told).toMatchObject({ addresses: [{ address: "10.0.0.3", borrowed: true }] });
  });
});

describe("a release by handle", () => {
  it("leaves nothing of the handle, whatever an assign was cut off at", async () => {
    const request = requestOf("pod", 3);
    const { table } = await makeWorld();
    const calls = await callsOf(table, (own) => assign(contextOver(own, { nowMs: 0 }, 2), request));
    for (const mishap of MISHAPS)
      for (const at of callsToTry(calls, MISHAPS.indexOf(mishap), oneIn(3))) {
        const world = await makeWorld();
        const { landLate } = await withMishap(world.table, at, mishap, (own) =>
          assign(contextOver(own, world.clock, 2), request),
        );
        await releaseHandle(world.calm, SPACE, "pod");
        await landLate();
        await scheduledRuns(world, 2);
        expect(takenIn(world), `${mishap}, call ${at}`).toBe(0);
        expect(contentsIn(world).allocations, `${mishap}, call ${at}`).toEqual([]);
      }
  });
});

describe("requests of one host at once", () => {
  it("claim no second block where the first has room for all", async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const world = await makeWorld(poolOf("10.0.0.0/24", 28));
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          assigned(contextOver(world.table, world.clock, 100 * seed + n), requestOf(`pod-${n}`, 1)),
        ),
      );
      expect(new Set(answers.map(({ addresses }) => addresses[0]?.address)).size).toBe(8);
      expect(contentsIn(world).blocks).toHaveLength(1);
    }
  });
});

describe("a block that is too small for a host reservation", () => {
  const WINDOWS = { start: 3, end: 1 };

  it("is never chosen, whether or not its pool is named, and the rejection says which size would do", async () => {
    const plat = await spaceWithPool({ blockSize: 30 });
    for (const pools of [[], ["main"]]) {
      const { body } = await plat.assign({ host: "win", ipv4: 1, pools, hostReserved: WINDOWS });
      expect(body).toMatchObject({
        status: 409,
        code: "no_pool_available",
        pools: [{ code: "block_too_small", reason: expect.stringContaining("/29 or larger") }],
      });
    }
    expect((await plat.get("/v1/blocks")).body.blocks).toEqual([]);
    await plat.put("/v1/pools/wide", { cidr: "10.1.0.0/24", blockSize: 29 });
    const { body } = await plat.assign({ host: "win", ipv4: 1, hostReserved: WINDOWS });
    expect(body.addresses).toMatchObject([{ pool: "wide" }]);
  });

  it("is one of 64 addresses where 65 are reserved", async () => {
    const plat = await spaceWithPool({ blockSize: 26 });
    const ask = (start: number) =>
      plat.assign({ host: "win", ipv4: 1, hostReserved: { start, end: 1 } });
    expect((await ask(64)).body.code).toBe("no_pool_available");
    expect((await ask(62)).status).toBe(200);
  });
});

/**
 * Creates the block of a claim for another host just before the claim does. If all its addresses cool, the block has
 * none to borrow.
 */
async function claimFor(world: World, { change }: Write, isCooling = false): Promise<void> {
  if (change.kind !== "put") throw new Error("a block is put as it is created");
  const cooling = { kind: "cooling", token: "A".repeat(15), sinceMs: world.clock.nowMs } as const;
  await world.calm.store.createBlock({
    ...blockFrom(change.item),
    host: "host:faster",
    slots: new Map(isCooling ? [0, 1].map((ordinal) => [ordinal, cooling]) : []),
  });
}
