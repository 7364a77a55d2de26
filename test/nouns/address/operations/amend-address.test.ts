import { describe, expect, it } from "vitest";
import { assign } from "../../../../src/kernel/assign/assign.ts";
import type { Assignment } from "../../../../src/kernel/assign/assignment.ts";
import { parseGeneration } from "../../../../src/kernel/values/generation.ts";
import {
  type Amendment,
  amendAddress,
} from "../../../../src/nouns/address/operations/amend-address.ts";
import { readAddress } from "../../../../src/nouns/address/operations/read-address.ts";
import type { Table } from "../../../../src/table/table.ts";
import { addressesIn, instanceRequest, podOf, releaseOf } from "../../../instances.ts";
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
  tableOf,
  type World,
} from "../../../world.ts";

const owner = (name: string) => ({ namespace: "shop", name });

/** Assigns an address to a machine, and returns functions that amend it, also over another table, and read its owner. */
async function machine(world: World) {
  const told = await assigned(world.calm, requestOf("vm", 1));
  const address = addressOf(told.addresses[0]?.address ?? "");
  // Each call runs in another function, so that no two calls draw the same revision.
  let seed = 9;
  const amend = (change: Partial<Amendment>, table: Table = world.table) =>
    amendAddress(contextOver(table, world.clock, seed++), SPACE, {
      address,
      handle: "vm",
      ...change,
    });
  const current = async () => {
    const read = await readAddress(world.calm, SPACE, address);
    return "owner" in read ? read.owner : undefined;
  };
  return { told, amend, current };
}

/** Returns a table whose first amend gets no answer; `carry` decides what becomes of the write. */
function silenced(world: World, carry: (write: () => Promise<unknown>) => Promise<unknown>): Table {
  let silent = true;
  return {
    ...tableOf(world),
    write: async (write) => {
      if (write.step !== "amend" || !silent) return world.table.write(write);
      silent = false;
      await carry(() => world.table.write(write));
      return { outcome: "unknown" };
    },
  };
}

describe("a change of owners whose write is not heard of", () => {
  const COME = { owner: { alternate: owner("me") }, expectedOwner: { alternate: null } };

  it("is not made twice where it was made: its precondition is judged by what stood before", async () => {
    const world = await makeWorld();
    const { amend, current } = await machine(world);
    const table = silenced(world, (write) => write());
    expect(await amend(COME, table)).toMatchObject({ owner: { alternate: owner("me") } });
    expect(await current()).toEqual({ alternate: owner("me") });
  });

  it("is made once where it was lost, also when it lands after all", async () => {
    const world = await makeWorld();
    const { amend, current } = await machine(world);
    let late: (() => Promise<unknown>) | undefined;
    const table = silenced(world, async (write) => {
      late = write;
    });
    expect(await amend(COME, table)).toMatchObject({ owner: { alternate: owner("me") } });
    await amend({ owner: { alternate: null } });
    await late?.();
    expect(await current()).toBeUndefined();
  });

  it("is made once where a layer below sent it twice and the second copy was rejected", async () => {
    const world = await makeWorld();
    const { amend } = await machine(world);
    const table: Table = {
      ...tableOf(world),
      write: async (write) => {
        if (write.step === "amend") await world.table.write(write);
        return world.table.write(write);
      },
    };
    expect(await amend(COME, table)).toMatchObject({ owner: { alternate: owner("me") } });
  });

  it("is not called refused where somebody else has been there since: nobody knows", async () => {
    const world = await makeWorld();
    const { amend } = await machine(world);
    const table = silenced(world, async (write) => {
      await write();
      await amend({ owner: { alternate: owner("other") } });
    });
    await expect(amend(COME, table)).rejects.toMatchObject({ name: "UnavailableError" });
  });
});

it("of many that want to be the one alternate owner at once, one is told that it is", async () => {
  const world = await makeWorld();
  const { amend, current } = await machine(world);
  const names = Array.from({ length: 8 }, (_, n) => `vm-${n}`);
  const answers = await Promise.all(
    names.map((name) =>
      amend({ owner: { alternate: owner(name) }, expectedOwner: { alternate: null } }),
    ),
  );
  const told = names.filter((_, n) => "owner" in (answers[n] ?? {}));
  expect(told).toHaveLength(1);
  expect(await current()).toEqual({ alternate: owner(told[0] ?? "") });
});

it("an address that was released while its owners were changed is not said to have them", async () => {
  const world = await makeWorld();
  const { told, amend } = await machine(world);
  const table: Table = {
    ...tableOf(world),
    write: async (write) => {
      const result = await world.table.write(write);
      if (write.step === "amend") await releaseAll(world.calm, told);
      return result;
    },
  };
  expect(await amend({ owner: { active: owner("me") } }, table)).toMatchObject({
    code: "generation_conflict",
  });
});

it("a change that asks for nothing writes nothing", async () => {
  const world = await makeWorld();
  const { amend } = await machine(world);
  const before = world.table.items();
  expect(await amend({ owner: {} })).toMatchObject({ handle: "vm", owner: {} });
  expect(world.table.items()).toEqual(before);
});

it("a request whose allocation would be too large is rejected, and holds nothing", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/28", 31));
  const large = { a: "x".repeat(378_000) };
  const request = { ...requestOf("wide", 5), attributes: large };
  expect(await assign(world.calm, request)).toMatchObject({ code: "invalid_request" });
  expect(contentsIn(world).allocations).toEqual([]);
  expect(contentsIn(world).blocks.flatMap(({ slots }) => [...slots])).toEqual([]);
});

it("a generation of an earlier incarnation of an instance changes nothing", async () => {
  const { calm } = await makeWorld();
  const lease = { leaseSeconds: 600 };
  const first = await assigned(calm, instanceRequest(podOf("a"), lease));
  await releaseOf(calm, podOf("a"), true);
  const last = await assigned(calm, instanceRequest(podOf("b"), lease));
  expect(addressesIn(last)).toEqual(addressesIn(first));
  const change = { owner: { active: owner("me") }, leaseSeconds: 60 };
  const amend = (told: Assignment) => {
    const generation = parseGeneration(told.addresses[0]?.generation ?? "");
    if (!generation.ok) throw new Error("the answer has no generation");
    const named = { address: generation.value.address, generation: generation.value };
    return amendAddress(calm, SPACE, { ...named, ...change });
  };
  expect(await amend(first)).toMatchObject({ code: "generation_conflict" });
  expect(await amend(last)).toMatchObject({ owner: { active: owner("me") } });
});
