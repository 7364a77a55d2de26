import { describe, expect, it } from "vitest";
import { Rejection } from "../../../src/base/outcome.ts";
import { noPrefix } from "../../../src/kernel/assign/no-prefix.ts";
import type { FamilyRequest } from "../../../src/kernel/assign/selection.ts";
import { LOOKS_PER_PAGE } from "../../../src/kernel/core/bounded-work.ts";
import { configurationOf } from "../../../src/kernel/core/configuration.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { hostId } from "../../../src/kernel/values/host.ts";
import { intervalOf } from "../../../src/net/cidr.ts";
import { putPool, putReservation } from "../../../src/nouns/pool/operations/administration.ts";
import { network } from "../../builders.ts";
import { ensure, free, prefixPool, tryEnsure } from "../../prefixes.ts";
import { makeWorld, SPACE } from "../../world.ts";

/** Returns a world with a pool of prefixes. */
async function withPool(cidr: string) {
  const world = await makeWorld();
  await putPool(world.calm, SPACE, "pods", prefixPool(cidr, 24), undefined);
  return world;
}

/** Lets a node state a network that it does not get. */
async function state(context: Context, node: string, cidr: string): Promise<void> {
  expect(await tryEnsure(context, node, { podCidrs: [cidr] })).toBeInstanceOf(Rejection);
}

/** Returns the rejection of a node that asks for a prefix. */
async function rejected(context: Context): Promise<Rejection> {
  const answer = await tryEnsure(context, "late");
  return answer instanceof Rejection ? answer : expect.fail("it was served");
}

async function reserve(context: Context, cidr: string): Promise<void> {
  const spec = { cidrs: [cidr], intervals: [intervalOf(network(cidr))] };
  await putReservation(context, SPACE, "some", spec, undefined);
}

describe("a rejection of a prefix names the nodes whose networks withhold prefixes", () => {
  it("of a whole pool, and is final", async () => {
    const { calm } = await withPool("10.64.0.0/23");
    await state(calm, "r1", "10.64.0.0/25");
    await state(calm, "r2", "10.64.1.0/25");
    const { detail, members } = await rejected(calm);
    expect(members).not.toHaveProperty("retryable");
    expect(members.pools?.[0]).toMatchObject({
      code: "reserved",
      reason: "has no free prefix, and 2 withheld for networks that nodes state (r1, r2)",
      ...{ prefixes: 2, inUse: 0, cooling: 0, withheld: 2 },
    });
    expect(detail).toBe(
      "There is no free IPv4 prefix for node late in pods (10.64.0.0/23); 2 prefixes of pods are withheld for networks that nodes state (r1, r2).",
    );
  });

  it("of a part of a pool, and its counts add up", async () => {
    const { calm } = await withPool("10.64.0.0/22");
    await ensure(calm, "r1", { podCidrs: ["10.64.0.0/24"] });
    await ensure(calm, "r2", { podCidrs: ["10.64.1.0/24"] });
    await free(calm, "r2");
    await state(calm, "r3", "10.64.2.0/25");
    await reserve(calm, "10.64.3.9/32");
    const { detail, members } = await rejected(calm);
    expect(members).toMatchObject({ retryable: true, cooling: 1 });
    expect(members.pools?.[0]).toMatchObject({
      code: "cooling",
      prefixes: 4,
      inUse: 1,
      cooling: 1,
      withheld: 2,
    });
    expect(detail).toContain("1 prefix of pods is withheld for networks that nodes state (r3).");
  });

  it("but not for a prefix that another node has", async () => {
    const { calm } = await withPool("10.64.0.0/23");
    await ensure(calm, "r1", { podCidrs: ["10.64.0.0/24"] });
    await state(calm, "r2", "10.64.0.0/24");
    await state(calm, "r3", "10.64.1.0/25");
    const { detail, members } = await rejected(calm);
    expect(members.pools?.[0]).toMatchObject({ prefixes: 2, inUse: 1, withheld: 1 });
    expect(detail).toContain("1 prefix of pods is withheld for networks that nodes state (r3).");
  });

  it("and promises no prefix that cools and is withheld", async () => {
    const { calm } = await withPool("10.64.0.0/24");
    await ensure(calm, "r1");
    await free(calm, "r1");
    await state(calm, "r2", "10.64.0.0/25");
    const { members } = await rejected(calm);
    expect(members).not.toHaveProperty("retryable");
    expect(members.pools?.[0]).toMatchObject({ code: "reserved", cooling: 0, withheld: 1 });
  });

  it("up to a maximum", async () => {
    const { calm } = await withPool("10.64.0.0/24");
    for (let n = 0; n < 10; n++) await state(calm, `r${n}`, `10.64.0.${16 * n}/28`);
    const { detail } = await rejected(calm);
    expect(detail).toContain("(r0, r1, r2, r3, r4, r5, r6, r7 and 2 more)");
  });
});

it("a rejection of a prefix is final where a reservation covers the pool", async () => {
  const { calm } = await withPool("10.64.0.0/24");
  await reserve(calm, "10.64.0.0/24");
  const { detail, members } = await rejected(calm);
  expect(members).not.toHaveProperty("retryable");
  expect(members.pools?.[0]).toMatchObject({
    code: "reserved",
    prefixes: 1,
    inUse: 0,
    withheld: 1,
  });
  expect(detail).toContain("; pods has every prefix touched by reservation some.");
});

it("a prefix that cools counts also in a pool for whose counts there is no time", async () => {
  const { calm } = await makeWorld();
  for (let n = 0; n <= LOOKS_PER_PAGE; n++) {
    await putPool(calm, SPACE, `p${10 + n}`, prefixPool(`10.64.${n}.0/24`, 24), undefined);
    await ensure(calm, `r${n}`, { podCidrs: [`10.64.${n}.0/24`] });
  }
  await free(calm, `r${LOOKS_PER_PAGE}`);
  const { members } = await rejected(calm);
  const last = members.pools?.find((each) => (each as { pool: string }).pool === "p42");
  expect(last).toMatchObject({ code: "cooling" });
  expect(last).not.toHaveProperty("inUse");
  expect(members).toMatchObject({ retryable: true, retryAfterSeconds: expect.any(Number) });
});

it("a prefix that cools in a small pool is counted behind a pool for which there is no time", async () => {
  const { calm } = await makeWorld();
  await putPool(calm, SPACE, "large", prefixPool("10.128.0.0/9", 24), undefined);
  await putPool(calm, SPACE, "small", prefixPool("10.64.0.0/24", 24), undefined);
  await ensure(calm, "node-1", { podCidrs: ["10.64.0.0/24"] });
  await free(calm, "node-1");
  const configuration = await configurationOf(calm, SPACE);
  const poolNamed = (called: string) =>
    configuration.pools.find(({ name }) => name === called) ?? expect.fail(called);
  const pools = ["large", "small"].map(poolNamed);
  for (let group = 0n; group < LOOKS_PER_PAGE; group++)
    await calm.store.addGroup(SPACE, poolNamed("large").id, group);
  const request = { space: SPACE, host: hostId("host", "node-2"), family: 4, pools, configuration };
  const { members } = await noPrefix(calm, request as unknown as FamilyRequest, {
    ...{ scans: [], open: pools, stated: [], reserved: configuration.reserved },
  });
  expect(members.pools).toMatchObject([
    { pool: "large", code: "full" },
    { pool: "small", code: "cooling", cooling: 1, inUse: 0 },
  ]);
  expect(members.pools?.[0]).not.toHaveProperty("inUse");
  expect(members).toMatchObject({ retryAfterSeconds: expect.any(Number) });
});
