import { describe, expect, it } from "vitest";
import { REQUEST_MS_MAX } from "../../src/base/limits.ts";
import { Rejection } from "../../src/base/outcome.ts";
import { findViolations } from "../../src/invariants/invariants.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Assignment } from "../../src/kernel/assign/assignment.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { merged, parseInterval } from "../../src/net/cidr.ts";
import { readAddress } from "../../src/nouns/address/operations/read-address.ts";
import { putPool, putReservation } from "../../src/nouns/pool/operations/administration.ts";
import type { Write } from "../../src/table/table.ts";
import { reclaimAll, repairAll } from "../scheduled-runs.ts";
import { callsOf, withMishap } from "../simulation/crash-points.ts";
import { seededRandom } from "../simulation/random.ts";
import { FAIR, Scheduler } from "../simulation/scheduler.ts";
import {
  addressOf,
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
} from "../world.ts";

describe("two administrators who put one pool with different ranges at once", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "leave the plan with the range that serves, %i",
    async (seed) => {
      const world = await makeWorld();
      const scheduler = new Scheduler(world.table, seededRandom(seed), FAIR);
      for (const [n, range] of ["10.1.0.0/24", "10.2.0.0/24"].entries())
        scheduler.spawn(range, ({ table }) =>
          putPool(
            contextOver(table, scheduler, seed * 10 + n),
            SPACE,
            "p",
            poolOf(range, 28),
            undefined,
          ),
        );
      await scheduler.run();
      for (const [n, range] of ["10.1.0.0/24", "10.2.0.0/24"].entries())
        await putPool(world.calm, SPACE, `q${n}`, poolOf(range, 28), undefined);
      expect(findViolations(contentsIn(world))).toEqual([]);
      const { entries } = await world.calm.store.readPlan(SPACE);
      const active = contentsIn(world).pools.filter(({ state }) => state === "active");
      for (const { name, cidr } of active)
        expect(entries.find(({ pool }) => pool === name)?.cidr).toEqual(cidr);
    },
  );
});

describe("a reclaimer that dies between a block and its affinities", () => {
  const emptied = async (settings = {}) => {
    const world = await makeWorld(poolOf("10.0.0.0/31", 31), settings);
    await releaseAll(world.calm, await assigned(world.calm, requestOf("pod", 1)));
    await scheduledRuns(world, 1);
    world.clock.nowMs += 100_000;
    return world;
  };
  const cutOff = async (settings = {}) => {
    const dryRunContext = await emptied(settings);
    const calls = await callsOf(dryRunContext.table, (own) =>
      reclaimAll(contextOver(own, dryRunContext.clock, 3)),
    );
    const world = await emptied(settings);
    await withMishap(world.table, calls.indexOf("affinity-drop"), "killed before the call", (own) =>
      reclaimAll(contextOver(own, world.clock, 3)),
    );
    expect(contentsIn(world)).toMatchObject({
      blocks: [],
      affinities: [{ state: "pendingDeletion" }],
    });
    return world;
  };

  it("does not keep its host from a new block, also not at its cap or for a specific address", async () => {
    const capped = await cutOff({ maxBlocksPerHost: 1 });
    expect(await assigned(capped.calm, requestOf("next", 1))).toMatchObject({ handle: "next" });
    const specific = await cutOff();
    expect(
      await assigned(specific.calm, {
        ...requestOf("next", 1),
        addresses: [addressOf("10.0.0.1")],
      }),
    ).toMatchObject({ handle: "next" });
  });

  it("does not cost the host's next affinity of that block: of two affinities the confirmed one stays", async () => {
    const world = await cutOff();
    await assigned(contextOver(world.table, world.clock, 4), requestOf("next", 1));
    await scheduledRuns(world, 2);
    expect(findViolations(contentsIn(world), { quiet: true })).toEqual([]);
  });
});

describe("a reservation that takes most of a pool", () => {
  it("keeps no host from what is left of it", async () => {
    const { calm, table, clock } = await makeWorld(poolOf("10.4.0.0/16", 28));
    const text = "10.4.0.0-10.4.223.255"; // The range is seven eighths of the pool: 56 of 64 block groups.
    const interval = parseInterval(text);
    if (!interval.ok) throw new Error(interval.problem);
    const intervals = merged([interval.value]);
    await putReservation(calm, SPACE, "most", { cidrs: [text], intervals }, undefined);
    for (let n = 0; n < 60; n++) {
      const request = { ...requestOf(`pod-${n}`, 1), host: `host:node-${n}` } as const;
      expect(await assign(contextOver(table, clock, 100 + n), request)).not.toBeInstanceOf(
        Rejection,
      );
    }
  });
});

describe("a function that has not heard of a new pool", () => {
  it("asks before it denies an address of it", async () => {
    const { calm, table, clock } = await makeWorld();
    const other = contextOver(table, clock, 5);
    await assigned(other, requestOf("warm", 1));
    await putPool(calm, SPACE, "second", poolOf("10.1.0.0/28", 30), undefined);
    const told = await assigned(calm, { ...requestOf("pod", 1), pools: ["second"] });
    const address = addressOf(told.addresses[0]?.address ?? "");
    expect(await readAddress(other, SPACE, address)).toMatchObject({ handle: "pod" });
  });
});

describe("an assign whose slot write took longer than a function may live", () => {
  it("keeps what it took: another execution may have been answered with it (I2)", async () => {
    const { table, clock } = await makeWorld();
    const request = requestOf("pod", 1, "once");
    const told: Assignment[] = [];
    const stalling = Object.assign(Object.create(table), {
      write: async (write: Write) => {
        const result = await table.write(write);
        if (write.step !== "take-slots") return result;
        told.push(await assigned(contextOver(table, clock, 2), request));
        clock.nowMs += REQUEST_MS_MAX + 1;
        return result;
      },
    });
    expect(await assigned(contextOver(stalling, clock, 1), request)).toEqual(told[0]);
    expect(await assigned(contextOver(table, clock, 3), request)).toEqual(told[0]);
  });
});

describe("a kept allocation of a release", () => {
  it("disturbs nobody's block once it is finished", async () => {
    const world = await makeWorld();
    await releaseAll(world.calm, await assigned(world.calm, requestOf("pod", 1, "key")));
    await scheduledRuns(world, 1);
    const calls = await callsOf(world.table, (own) => {
      world.clock.nowMs += 100_000;
      return repairAll(contextOver(own, world.clock, 6));
    });
    expect(calls).not.toContain("repair-release-fence");
    expect(await assign(world.calm, requestOf("pod", 1, "key"))).toMatchObject({
      code: "already_released",
    });
  });

  it("says that it was released by its handle, where it was", async () => {
    const { calm } = await makeWorld();
    await assigned(calm, requestOf("pod", 1, "key"));
    await releaseHandle(calm, SPACE, "pod");
    expect(await assign(calm, requestOf("pod", 1, "key"))).toMatchObject({
      code: "already_released",
      detail: "The addresses of this request were released by its handle.",
    });
  });
});
