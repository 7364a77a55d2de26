import { describe, expect, it } from "vitest";
import { CLOCK_SKEW_MS_MAX } from "../../../src/base/limits.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import { reportConflict } from "../../../src/kernel/release/report-conflict.ts";
import { liftQuarantine } from "../../../src/nouns/address/operations/lift-quarantine.ts";
import { readAddress } from "../../../src/nouns/address/operations/read-address.ts";
import type { Table } from "../../../src/table/table.ts";
import { reclaimAll } from "../../scheduled-runs.ts";
import {
  addressOf,
  assigned,
  COOLDOWN_SECONDS,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  releaseAll,
  reportAll,
  requestOf,
  SPACE,
  scheduledRuns,
  tableOf,
  type World,
} from "../../world.ts";

const QUARANTINE_SECONDS = 100;
const ONE = poolOf("10.0.0.0/32", 32);
const AT = addressOf("10.0.0.0");
const oneAddress = () => makeWorld(ONE, { conflictQuarantineSeconds: QUARANTINE_SECONDS });
const specific = { ...requestOf("other", 1), addresses: [AT] };

const stateNow = async ({ calm }: World) => {
  const read = await readAddress(calm, SPACE, AT);
  return read instanceof Rejection ? read.code : read.state;
};

/** Makes a world in which a report of a conflict was cut off after its mark. */
async function reportedAndCutOff() {
  const world = await oneAddress();
  const told = await assigned(world.calm, requestOf("pod", 1, "key"));
  const cut: Table = {
    ...tableOf(world),
    write: async (write) => {
      if (write.step === "free-slots") throw new Error("crash");
      return world.table.write(write);
    },
  };
  await expect(reportAll(contextOver(cut, world.clock), told)).rejects.toThrow("crash");
  return { world, told };
}

/** Returns a table on which something happens before the first write of a step. */
function lateWrite(world: World, step: string, meanwhile: () => Promise<void>): Table {
  let isFirst = true;
  return {
    ...tableOf(world),
    write: async (write) => {
      if (write.step === step && isFirst) {
        isFirst = false;
        await meanwhile();
      }
      return world.table.write(write);
    },
  };
}

describe("a reported conflict", () => {
  it.each(["key", undefined])(
    "keeps the address from everybody until the time of the answer (key: %s)",
    async (key) => {
      const world = await oneAddress();
      const { calm, clock } = world;
      const told = await assigned(calm, requestOf("pod", 1, key));
      const quarantinedUntilMs = clock.nowMs + 1000 * QUARANTINE_SECONDS;
      expect(await reportAll(calm, told)).toEqual([{ address: "10.0.0.0", quarantinedUntilMs }]);
      clock.nowMs = quarantinedUntilMs;
      expect(await assign(calm, specific)).toMatchObject({
        code: "address_quarantined",
        members: { quarantinedUntil: new Date(quarantinedUntilMs).toISOString() },
      });
      expect(await assign(calm, requestOf("other", 1))).toMatchObject({ code: "pool_exhausted" });
      expect(await stateNow(world)).toBe("quarantined");
      clock.nowMs += CLOCK_SKEW_MS_MAX;
      expect(await stateNow(world)).toBe("free");
      expect(await assign(calm, specific)).toMatchObject({ handle: "other" });
    },
  );

  it("keeps its block from reclaim and from a new claim", async () => {
    const world = await oneAddress();
    world.clock.nowMs += 1_000_000;
    await reportAll(world.calm, await assigned(world.calm, requestOf("pod", 1)));
    world.clock.nowMs += 90_000;
    await reclaimAll(world.calm);
    await reclaimAll(world.calm);
    expect(await assign(world.calm, specific)).toMatchObject({ code: "address_quarantined" });
    await scheduledRuns(world, 3);
    expect(contentsIn(world).blocks).toEqual([]);
  });

  it("is never shorter than the cooldown", async () => {
    const { calm, clock } = await makeWorld(ONE, { conflictQuarantineSeconds: 0 });
    const told = await assigned(calm, requestOf("pod", 1));
    expect(await reportAll(calm, told)).toMatchObject([
      { quarantinedUntilMs: clock.nowMs + 1000 * COOLDOWN_SECONDS },
    ]);
    clock.nowMs += 1000 * COOLDOWN_SECONDS;
    expect(await assign(calm, specific)).toMatchObject({ code: "address_quarantined" });
  });

  it.each(["key", undefined])("has the same answer when repeated (key: %s)", async (key) => {
    const { calm, clock } = await oneAddress();
    const told = await assigned(calm, requestOf("pod", 1, key));
    const first = await reportAll(calm, told);
    clock.nowMs += 10_000;
    expect(await reportAll(calm, told)).toEqual(first);
    expect(await reportConflict(calm, SPACE, { address: AT, handle: "pod" })).toEqual(first[0]);
    expect(await reportConflict(calm, SPACE, { address: AT, handle: "else" })).toMatchObject({
      code: "not_found",
    });
  });

  it.each(["key", undefined])(
    "puts an address that was released before into quarantine (key: %s)",
    async (key) => {
      const { calm, clock } = await oneAddress();
      const told = await assigned(calm, requestOf("pod", 1, key));
      await releaseAll(calm, told);
      clock.nowMs += 1_000;
      expect(await reportAll(calm, told)).toMatchObject([
        { quarantinedUntilMs: clock.nowMs + 1000 * QUARANTINE_SECONDS },
      ]);
      clock.nowMs += 50_000;
      expect(await assign(calm, specific)).toMatchObject({ code: "address_quarantined" });
    },
  );

  it("ends no assignment of another request", async () => {
    const { calm, clock } = await oneAddress();
    const told = await assigned(calm, requestOf("pod", 1));
    await releaseAll(calm, told);
    clock.nowMs += 100_000;
    await assigned(calm, specific);
    expect(await reportAll(calm, told)).toMatchObject([{ code: "generation_conflict" }]);
    expect(await reportConflict(calm, SPACE, { address: AT, handle: "pod" })).toMatchObject({
      code: "generation_conflict",
    });
    expect(await readAddress(calm, SPACE, AT)).toMatchObject({ handle: "other" });
  });

  it("that arrives late takes nothing from the next owner", async () => {
    const world = await oneAddress();
    const { calm, clock } = world;
    const told = await assigned(calm, requestOf("pod", 1));
    await releaseAll(calm, told);
    const late = lateWrite(world, "quarantine", async () => {
      clock.nowMs += 1000 * COOLDOWN_SECONDS + CLOCK_SKEW_MS_MAX;
      await assigned(calm, specific);
    });
    expect(await reportAll(contextOver(late, clock), told)).toMatchObject([
      { code: "generation_conflict" },
    ]);
    expect(await readAddress(calm, SPACE, AT)).toMatchObject({ handle: "other" });
  });

  it("leaves the other addresses of its request", async () => {
    const { calm } = await makeWorld(poolOf("10.0.0.0/29", 29));
    const told = await assigned(calm, requestOf("pod", 3, "key"));
    const [first, ...others] = told.addresses;
    await reportAll(calm, { ...told, addresses: first ? [first] : [] });
    for (const { address } of others)
      expect(await readAddress(calm, SPACE, addressOf(address))).toMatchObject({ handle: "pod" });
  });

  it("of a request with a key ends it: its repeat says that the address was released", async () => {
    const { calm } = await oneAddress();
    await reportAll(calm, await assigned(calm, requestOf("pod", 1, "key")));
    expect(await assign(calm, requestOf("pod", 1, "key"))).toMatchObject({
      code: "already_released",
    });
  });

  it("that was cut off after its mark is finished by the repair run as a quarantine", async () => {
    const { world } = await reportedAndCutOff();
    expect(await stateNow(world)).toBe("assigned");
    await scheduledRuns(world, 1);
    expect(await stateNow(world)).toBe("quarantined");
  });

  it("that was cut off after its mark is finished by a release as a quarantine", async () => {
    const { world, told } = await reportedAndCutOff();
    expect(await releaseAll(world.calm, told)).toMatchObject([{ status: "released" }]);
    expect(await stateNow(world)).toBe("quarantined");
  });

  it("names its handle while the allocation is kept for its key", async () => {
    const world = await oneAddress();
    await reportAll(world.calm, await assigned(world.calm, requestOf("pod", 1, "key")));
    expect(await readAddress(world.calm, SPACE, AT)).toMatchObject({
      state: "quarantined",
      handle: "pod",
    });
  });
});

describe("lifting a quarantine", () => {
  it("leaves what is left of the cooldown", async () => {
    const world = await oneAddress();
    const { calm, clock } = world;
    await reportAll(calm, await assigned(calm, requestOf("pod", 1)));
    const availableAtMs = clock.nowMs + 1000 * COOLDOWN_SECONDS + CLOCK_SKEW_MS_MAX;
    clock.nowMs += 1_000;
    expect(await liftQuarantine(calm, SPACE, AT)).toEqual({ address: "10.0.0.0", availableAtMs });
    expect(await assign(calm, specific)).toMatchObject({ code: "address_cooling" });
    clock.nowMs = availableAtMs;
    expect(await assign(calm, specific)).toMatchObject({ handle: "other" });
  });

  it("makes the address assignable at once when the cooldown is over", async () => {
    const { calm, clock } = await oneAddress();
    await reportAll(calm, await assigned(calm, requestOf("pod", 1)));
    clock.nowMs += 20_000;
    expect(await liftQuarantine(calm, SPACE, AT)).toEqual({ address: "10.0.0.0" });
    expect(await assign(calm, specific)).toMatchObject({ handle: "other" });
  });

  it("of an address that is in none changes nothing", async () => {
    const world = await oneAddress();
    const { calm } = world;
    expect(await liftQuarantine(calm, SPACE, AT)).toMatchObject({ code: "not_found" });
    await assigned(calm, requestOf("pod", 1));
    expect(await liftQuarantine(calm, SPACE, AT)).toMatchObject({ code: "not_found" });
    expect(await stateNow(world)).toBe("assigned");
    expect(await liftQuarantine(calm, SPACE, addressOf("10.9.9.9"))).toMatchObject({
      code: "not_found",
    });
  });

  it("that arrives late does not end the quarantine of a later assignment", async () => {
    const world = await oneAddress();
    const { calm, clock } = world;
    await reportAll(calm, await assigned(calm, requestOf("pod", 1)));
    const late = lateWrite(world, "lift", async () => {
      await liftQuarantine(calm, SPACE, AT);
      clock.nowMs += 10_000;
      await reportAll(calm, await assigned(calm, specific));
    });
    expect(await liftQuarantine(contextOver(late, clock), SPACE, AT)).toMatchObject({
      code: "not_found",
    });
    expect(await stateNow(world)).toBe("quarantined");
  });
});
