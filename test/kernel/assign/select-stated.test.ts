import { describe, expect, it } from "vitest";
import { REQUEST_MS_MAX } from "../../../src/base/limits.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../../src/kernel/assign/assignment.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { releaseHandle } from "../../../src/kernel/release/release-handle.ts";
import { putPool } from "../../../src/nouns/pool/operations/administration.ts";
import type { Table } from "../../../src/table/table.ts";
import { interval } from "../../builders.ts";
import {
  addressOf,
  assigned,
  COOLDOWN_SECONDS,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../../world.ts";

/** Returns a request of a host for addresses that it says it has; those with a star are in use. */
function stated(texts: readonly string[], limitPerHandle = 256): AssignRequest {
  const places = texts.map((text) => ({
    address: addressOf(text.replace("*", "")),
    isUsed: text.endsWith("*"),
  }));
  return {
    ...requestOf("agent", texts.length),
    stated: places,
    allowPartial: true,
    limitPerHandle,
  };
}

/** Returns the writes of a function that is stopped before a step. */
const endingBefore =
  ({ table }: World, step: string): Table["write"] =>
  async (write) => {
    if (write.step === step) throw new Error("the function was stopped");
    return table.write(write);
  };

const slotsIn = (world: World) =>
  Object.fromEntries(
    contentsIn(world).blocks.flatMap(({ slots }) => [...slots].map(([n, { kind }]) => [n, kind])),
  );

async function told(context: Context, request: AssignRequest) {
  const answer = await assign(context, request);
  if (answer instanceof Rejection) return { rejected: answer.code, why: answer.detail };
  return {
    addresses: answer.addresses.map(({ address }) => address).join(),
    why: answer.messages.join(),
  };
}

describe("addresses that a host says it has", () => {
  it("are taken at once, of more than one block and pool, and a repeat answers the same", async () => {
    const { calm } = await makeWorld(poolOf("10.0.0.0/24", 26));
    await putPool(calm, SPACE, "other", poolOf("10.1.0.0/24", 28), undefined);
    const request = stated(["10.0.0.1", "10.0.0.2", "10.0.0.70", "10.1.0.3"]);
    const all = { addresses: "10.0.0.1,10.0.0.2,10.0.0.70,10.1.0.3", why: "" };
    expect(await told(calm, request)).toEqual(all);
    expect(await told(calm, request)).toEqual(all);
  });

  it("are taken of ranged pools, whose blocks have no host", async () => {
    const { calm } = await makeWorld({
      ...poolOf("10.0.0.0/24", 26),
      ranges: [interval("10.0.0.0-10.0.0.127")],
    });
    expect(await told(calm, stated(["10.0.0.1", "10.0.0.2", "10.0.0.200"]))).toEqual({
      addresses: "10.0.0.1,10.0.0.2",
      why: "2 of 3 addresses are assigned. Address 10.0.0.200 is in no pool of space default.",
    });
  });

  it("are left out one by one if another handle has them, or no pool does", async () => {
    const { calm } = await makeWorld(poolOf("10.0.0.0/24", 26));
    await assigned(calm, { ...requestOf("other", 1), addresses: [addressOf("10.0.0.2")] });
    const request = stated(["10.0.0.1", "10.0.0.2", "10.9.0.1"]);
    const why =
      "1 of 3 addresses are assigned. Address 10.9.0.1 is in no pool of space default. Address 10.0.0.2 is assigned to handle other.";
    expect(await told(calm, request)).toEqual({ addresses: "10.0.0.1", why });
    expect(await told(calm, request)).toEqual({ addresses: "10.0.0.1", why });
    expect(await told(calm, stated(["10.0.0.2"]))).toMatchObject({ rejected: "already_assigned" });
    expect(await told(calm, stated(["10.9.0.1"]))).toMatchObject({ rejected: "no_pool_available" });
  });

  it("are taken while they cool if the host uses them, and else not", async () => {
    const { calm, clock } = await makeWorld(poolOf("10.0.0.0/24", 26));
    for (const address of ["10.0.0.1", "10.0.0.2"]) {
      const own = { ...requestOf("before", 1), addresses: [addressOf(address)] };
      await releaseAll(calm, await assigned(calm, own));
    }
    const cooling = await told(calm, stated(["10.0.0.1*", "10.0.0.2"]));
    expect(cooling).toMatchObject({ addresses: "10.0.0.1" });
    expect(cooling.why).toContain("Address 10.0.0.2 was released a moment ago");
    clock.nowMs += 2 * 1000 * COOLDOWN_SECONDS;
    expect(await told(calm, stated(["10.0.0.2"]))).toMatchObject({ addresses: "10.0.0.2" });
  });

  it("cool again if the request is given up after it took them", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/24", 26));
    const { calm, clock } = world;
    const own = { ...requestOf("before", 1), addresses: [addressOf("10.0.0.1")] };
    await releaseAll(calm, await assigned(calm, own));
    const ending = { ...tableOf(world), write: endingBefore(world, "pending-live") };
    await assign(contextOver(ending, clock), stated(["10.0.0.1*", "10.0.0.2*"])).catch(() => {});
    expect(slotsIn(world)).toEqual({ 1: "taken", 2: "taken" });
    clock.nowMs += REQUEST_MS_MAX;
    await releaseHandle(calm, SPACE, "agent");
    expect(slotsIn(world)).toEqual({ 1: "cooling", 2: "cooling" });
  });

  it("do not exceed the limit of the handle", async () => {
    const { calm } = await makeWorld(poolOf("10.0.0.0/24", 26));
    await told(calm, stated(["10.0.0.1", "10.0.0.2"], 2));
    expect(await told(calm, stated(["10.0.0.3"], 2))).toMatchObject({ rejected: "handle_limit" });
    expect(await told(calm, stated(["10.0.0.2"], 2))).toMatchObject({ addresses: "10.0.0.2" });
  });
});
