import { expect, it } from "vitest";
import { APPLICATION_ADDRESSES_MAX, GROUPS_SEARCHED_MAX } from "../../../../src/base/limits.ts";
import { Rejection } from "../../../../src/base/outcome.ts";
import { findViolations } from "../../../../src/invariants/invariants.ts";
import type { Context } from "../../../../src/kernel/core/context.ts";
import { formatAddress } from "../../../../src/net/address.ts";
import {
  type ApplicationSpec,
  applicationHash,
} from "../../../../src/nouns/application/application.ts";
import { isComplete } from "../../../../src/nouns/application/changes.ts";
import { putApplication } from "../../../../src/nouns/application/operations/put-application.ts";
import { intervals } from "../../../builders.ts";
import { from, HEIR, NARROW_RED, put, twoSets } from "../../../operations/ranged-pools.ts";
import { work } from "../../../scheduled-runs.ts";
import { answerOf, stoppedBefore } from "../../../simulation/crash-points.ts";
import {
  addressOf,
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  SPACE,
} from "../../../world.ts";

const WEB = { namespace: "shop", kind: "Deployment", name: "web" };
const SIX: ApplicationSpec = {
  replicas: 0,
  start: 0,
  addresses: { number: "6", interfaces: [{ name: "", pools: ["red"] }], keep: false },
};

const putWeb = (context: Context) => putApplication(context, SPACE, WEB, SIX, undefined);

it("a request for an application lets go of addresses that left the set of their pool while it grew", async () => {
  const world = await makeWorld();
  const { calm, clock, table } = world;
  await twoSets(world);
  const slow = stoppedBefore(table, (step) => step === "create-application");
  const grown = answerOf(putWeb(contextOver(slow.table, clock, 8)));
  await slow.stops;
  await put(calm, "red", NARROW_RED);
  slow.goOn();
  expect(await grown).toMatchObject({ value: { listed: { length: 6 } } });
  await work(calm, clock, 5);
  expect(await put(calm, "heir", HEIR)).toMatchObject({ code: "pool_overlap" });
  expect(await putWeb(calm)).toMatchObject({ unfinished: { code: "pool_exhausted" } });
  const [web] = contentsIn(world).applications;
  expect(web?.listed.map(({ address }) => formatAddress(address)).sort()).toEqual([
    "10.9.0.0",
    "10.9.0.1",
    "10.9.0.2",
    "10.9.0.3",
  ]);
  await work(calm, clock, 5);
  expect(await put(calm, "heir", HEIR)).toMatchObject({ created: true });
  expect(findViolations(contentsIn(world))).toEqual([]);
});

/**
 * Makes a pool whose addresses are one in each of some block groups, all of them taken but one. That is in the group before the one at
 * which the application begins.
 */
async function takenButOne(context: Context, name: string, net: number, groups: number) {
  const addresses = Array.from({ length: groups }, (_, n) =>
    formatAddress(addressOf(`10.${net}.${n >> 2}.${(n & 3) << 6}`)),
  );
  const spec = { ...poolOf(`10.${net}.0.0/16`, 32), ranges: intervals(...addresses) };
  await put(context, name, spec);
  const begin = Number(BigInt(`0x${applicationHash(WEB)}`) % BigInt(groups));
  const [free = ""] = addresses.splice((begin + groups - 1) % groups, 1);
  for (const address of addresses)
    await assigned(context, {
      ...from(`${name} ${address}`, 1, name),
      addresses: [addressOf(address)],
    });
  return addressOf(free);
}

const wideSpec = (number: number, ...names: string[]): ApplicationSpec => ({
  ...SIX,
  addresses: {
    number: `${number}`,
    interfaces: names.map((name) => ({ name, pools: ["wide"] })),
    keep: false,
  },
});

/** Repeats a request for an application until it is complete, or rejected. */
async function putUntilComplete(context: Context, spec: ApplicationSpec) {
  for (let n = 0; n < 12; n++) {
    const seen = await context.store.readApplication(SPACE, WEB);
    const precondition = seen && ({ match: "any" } as const);
    const answer = await putApplication(context, SPACE, WEB, spec, precondition);
    if (answer instanceof Rejection || isComplete(answer.value)) return answer;
    expect(answer.value.listed.length).toBeLessThanOrEqual(APPLICATION_ADDRESSES_MAX);
  }
  return undefined;
}

it.each<[string, before: ApplicationSpec, after: ApplicationSpec]>([
  ["another interface", wideSpec(600, ""), wideSpec(600, "eth0")],
  ["one interface more", wideSpec(600, "eth0"), wideSpec(500, "eth0", "net1")],
])("an application with many addresses changes to %s", async (_, before, after) => {
  const { calm } = await makeWorld();
  const ranges = intervals("10.8.0.0-10.8.15.255");
  await put(calm, "wide", { ...poolOf("10.8.0.0/20", 26), ranges });
  await putUntilComplete(calm, before);
  expect(await putUntilComplete(calm, after)).toMatchObject({ value: { state: "active" } });
  expect(await putUntilComplete(calm, wideSpec(513, "eth0", "net1"))).toMatchObject({
    code: "invalid_request",
    detail: expect.stringContaining("comes to 1026 addresses"),
  });
});

const specOf = (number: number, ...pools: string[]): ApplicationSpec => ({
  ...SIX,
  addresses: { number: `${number}`, interfaces: [{ name: "", pools }], keep: false },
});

it("an application gets the last free address of a pool with more block groups than a request reads", async () => {
  const { calm } = await makeWorld();
  const last = await takenButOne(calm, "wide", 8, 2 * GROUPS_SEARCHED_MAX);
  const putOne = async (revision?: string) => {
    const answer = await putApplication(calm, SPACE, WEB, specOf(1, "wide"), revision);
    if (answer instanceof Rejection) throw new Error(answer.detail);
    return answer;
  };
  let answer = await putOne();
  for (let n = 0; n < 20 && answer.unfinished; n++) {
    // Only a request that read every group says that the pools are exhausted.
    expect(answer.unfinished.code).toBeUndefined();
    answer = await putOne(answer.value.revision);
  }
  expect(answer.value.listed).toMatchObject([{ address: last, state: "in" }]);
});

it("an application gets an address of its second pool while the first one is large and full", async () => {
  const { calm } = await makeWorld();
  const last = await takenButOne(calm, "wide", 8, 2 * GROUPS_SEARCHED_MAX);
  await assigned(calm, { ...from("last", 1, "wide"), addresses: [last] });
  const free = await takenButOne(calm, "next", 7, 3);
  expect(
    await putApplication(calm, SPACE, WEB, specOf(1, "wide", "next"), undefined),
  ).toMatchObject({ value: { listed: [{ address: free, state: "in" }] } });
});

it("an application gets an address of the last of more pools than a request reads block groups", async () => {
  const { calm } = await makeWorld();
  const names = Array.from({ length: 2 * GROUPS_SEARCHED_MAX }, (_, n) => `p${n}`);
  for (const [n, name] of names.entries()) {
    const address = `10.8.${n}.0`;
    await put(calm, name, { ...poolOf(`10.8.${n}.0/24`, 32), ranges: intervals(address) });
    if (n < names.length - 1)
      await assigned(calm, { ...from(name, 1, name), addresses: [addressOf(address)] });
  }
  let seen: string | undefined;
  for (let n = 0; n < 20; n++) {
    const answer = await putApplication(calm, SPACE, WEB, specOf(1, ...names), seen);
    if (answer instanceof Rejection) throw new Error(answer.detail);
    if (answer.value.listed.length > 0) return;
    seen = answer.value.revision;
  }
  expect.unreachable("no request read the last pool");
});

it("an application is told that its pools are exhausted if one request reads all their groups", async () => {
  const { calm } = await makeWorld();
  const groups = GROUPS_SEARCHED_MAX - 2;
  await takenButOne(calm, "wide", 8, groups);
  await takenButOne(calm, "next", 7, GROUPS_SEARCHED_MAX - groups);
  expect(
    await putApplication(calm, SPACE, WEB, specOf(3, "wide", "next"), undefined),
  ).toMatchObject({ value: { listed: { length: 2 } }, unfinished: { code: "pool_exhausted" } });
});
