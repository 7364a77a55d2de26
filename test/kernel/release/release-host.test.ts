import { describe, expect, it } from "vitest";
import { Rejection } from "../../../src/base/outcome.ts";
import { findViolations } from "../../../src/invariants/invariants.ts";
import { claimAffinities } from "../../../src/kernel/affinities/claim-range.ts";
import { releaseAffinities } from "../../../src/kernel/affinities/release-range.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { Assignment, AssignRequest } from "../../../src/kernel/assign/assignment.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { releaseHost } from "../../../src/kernel/release/release-host.ts";
import type { HostId } from "../../../src/kernel/values/host.ts";
import { ADDRESSES_RELEASED_MAX } from "../../../src/kernel/values/limits.ts";
import { formatAddress } from "../../../src/net/address.ts";
import { eachCall } from "../../../src/store/stack.ts";
import type { Table } from "../../../src/table/table.ts";
import { addressOfQuotaSlot, crowd } from "../../crowd.ts";
import { beforeEachCall } from "../../each-call.ts";
import { addressesIn, instanceRequest, podOf, releaseOf } from "../../instances.ts";
import { heldNow, withRetries } from "../../simulation/aftermath.ts";
import { callsOf } from "../../simulation/crash-points.ts";
import {
  assigned,
  cidrOf,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  requestOf,
  SPACE,
  scheduledRuns,
  tableOf,
} from "../../world.ts";

const HOST: HostId = "host:node-1";
const release = (context: Context) => releaseHost(context, SPACE, HOST);
type Released = Awaited<ReturnType<typeof release>>;

/** A host that has an address, and another whose block it may borrow from. */
async function settled() {
  const world = await makeWorld();
  const old = await assigned(world.calm, requestOf("old", 1));
  const borrowedFrom = { ...requestOf("lender", 1), host: "host:node-2" } as const;
  return { ...world, world, old, borrowedFrom: await assigned(world.calm, borrowedFrom) };
}

const REQUESTS: readonly [string, AssignRequest][] = [
  ["one address", requestOf("new", 1)],
  ["one address under a key", requestOf("new", 1, "key")],
  ["addresses in several blocks, one of them borrowed", requestOf("new", 6)],
  ["addresses in several blocks under a key", requestOf("new", 5, "key")],
  ["addresses under a limit", { ...requestOf("new", 3), limitPerHandle: 3 }],
  ["an address with a lease", { ...requestOf("new", 1), leaseSeconds: 60 }],
];

describe.each(REQUESTS)(
  "an assign of %s to a host all of whose addresses are released",
  (_, ask) => {
    it("holds all that it answers when it answers, whenever the release came", async () => {
      await beforeEachCall(
        settled,
        (context) => withRetries(() => assign(context, ask)),
        async (context, { world, old }) => {
          const answer = await release(context);
          expect(answer.complete).toBe(true);
          expect(answer.released).toContain(old.addresses[0]?.address);
          expect(heldNow(world, old)).toBe(false);
        },
        async ({ world, borrowedFrom }, { ours, where }) => {
          const answer = ours instanceof Rejection ? undefined : ours;
          expect(heldNow(world, answer), where).toBe(true);
          expect(heldNow(world, borrowedFrom), where).toBe(true);
          expect(findViolations(contentsIn(world)), where).toEqual([]);
          await scheduledRuns(world, 3);
          expect(findViolations(contentsIn(world), { quiet: true }), where).toEqual([]);
          if (ask.leaseSeconds === undefined)
            expect(heldNow(world, answer), `later, ${where}`).toBe(true);
        },
      );
    });

    it("is released as a whole or stands as a whole, whenever it came while the release went on", async () => {
      await beforeEachCall(
        settled,
        release,
        (context) => assigned(context, ask),
        ({ world, borrowedFrom }, { ours: { released }, theirs, where }) => {
          const texts = theirs?.addresses.map(({ address }) => address) ?? [];
          const gone = texts.filter((address) => released.includes(address));
          expect([0, texts.length], where).toContain(gone.length);
          expect(heldNow(world, theirs), where).toBe(gone.length === 0);
          expect(heldNow(world, borrowedFrom), where).toBe(true);
          expect(findViolations(contentsIn(world)), where).toEqual([]);
        },
      );
    });
  },
);

describe("a release of all that a host has", () => {
  it("is complete when it says so, and until then goes on each time it is sent", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/18", 26), { maxBlocksPerHost: 100 });
    const { calm } = world;
    for (let n = 0; n < 18; n++) await assigned(calm, requestOf(`pod-${n}`, 256));
    const first = await release(calm);
    expect(first.complete).toBe(false);
    expect(first.released.length).toBeGreaterThanOrEqual(ADDRESSES_RELEASED_MAX);
    const second = await release(calm);
    expect(second.complete).toBe(true);
    expect(first.released.length + second.released.length).toBe(18 * 256);
    expect(contentsIn(world).allocations).toEqual([]);
  });

  it("is not complete while the database has not said that an instance is ended", async () => {
    const world = await makeWorld();
    const pod = podOf("a", { kind: "Deployment" });
    const told = await assigned(world.calm, instanceRequest(pod));
    const unanswered = contextOver(
      {
        ...tableOf(world),
        write: async (write) =>
          write.step === "instance-end" ? { outcome: "unknown" } : world.table.write(write),
      },
      world.clock,
      2,
    );
    expect(await release(unanswered)).toMatchObject({ released: [], complete: false });
    expect(heldNow(world, told)).toBe(true);
    expect(await release(world.calm)).toMatchObject({
      released: addressesIn(told),
      complete: true,
    });
  });

  it("stops when its time is up, and has got somewhere by then", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/26", 26));
    for (let n = 0; n < 40; n++) await assigned(world.calm, requestOf(`pod-${n}`, 1));
    const slow: Table = {
      ...tableOf(world),
      write: (write) => {
        world.clock.nowMs += 300;
        return world.table.write(write);
      },
    };
    let released = 0;
    for (let times = 0; times < 10; times++) {
      const answer = await release(contextOver(slow, world.clock, times));
      expect(answer.released.length).toBeGreaterThan(0);
      released += answer.released.length;
      if (answer.complete) break;
      expect(times).toBeLessThan(9);
    }
    expect(released).toBe(40);
  });

  it("misses nothing in a block that is taken from the host, or comes back to it, meanwhile", async () => {
    const takes = (context: Context) =>
      releaseAffinities(context, { space: SPACE, host: HOST, mustBeEmpty: false });
    const gives = (context: Context) =>
      claimAffinities(context, { space: SPACE, host: HOST, cidr: cidrOf("10.0.0.0/29") });
    const taken = async () => {
      const scene = await settled();
      await takes(scene.calm);
      return scene;
    };
    for (const [scene, comes] of [
      [settled, takes],
      [taken, gives],
    ] as const)
      await beforeEachCall<Awaited<ReturnType<typeof settled>>, Released, unknown>(
        scene,
        release,
        comes,
        ({ world, old }, { ours, where }) => {
          expect(ours.released, where).toEqual(old.addresses.map(({ address }) => address));
          expect(heldNow(world, old)).toBe(false);
        },
      );
  });

  it("leaves alone what another host has under the same handle", async () => {
    const { calm } = await makeWorld();
    await assigned(calm, requestOf("shared", 1));
    const theirs = { ...requestOf("shared", 1), host: "host:node-2" } as const;
    await assigned(calm, theirs);
    expect((await release(calm)).released).toHaveLength(1);
    expect((await releaseHost(calm, SPACE, "host:node-2")).released).toHaveLength(1);
  });
});

it("a host with a large block that many share is released a part at a time, to the end", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/20", 20));
  const occupied = await crowd(world, "deployment", Array(800).fill({}));
  const slowly = <T>(call: () => Promise<T>) => {
    world.clock.nowMs += 8;
    return call();
  };
  const slow = eachCall(tableOf(world), slowly);
  const released: string[] = [];
  for (let times = 1, isComplete = false; !isComplete; times++) {
    const answer = await release(contextOver(slow, world.clock, times));
    expect(answer.released.length).toBeGreaterThan(0);
    released.push(...answer.released);
    isComplete = answer.complete;
  }
  expect(released.toSorted()).toEqual(
    occupied.map((each) => formatAddress(addressOfQuotaSlot(each))).toSorted(),
  );
});

it("a host whose instances keep their addresses is released in one read of each of them", async () => {
  const { calm, clock, table } = await makeWorld();
  const told: Assignment[] = [];
  for (const instance of ["db-0", "db-1", "db-2"]) {
    const pod = podOf("a", { instance });
    told.push(await assigned(calm, instanceRequest(pod)));
    await releaseOf(calm, pod, true);
  }
  let answer: Awaited<ReturnType<typeof release>> | undefined;
  const calls = await callsOf(table, async (own) => {
    answer = await release(contextOver(own, clock, 2));
  });
  expect(answer).toMatchObject({ complete: true, released: [] });
  expect([...(answer?.kept ?? [])].sort()).toEqual(told.flatMap(addressesIn).sort());
  // The affinities, the borrowed blocks, two blocks, and the allocations.
  expect(calls).toHaveLength(2 + 2 + told.length);
});

it("a host whose instance has addresses in several blocks answers each of them once", async () => {
  const { calm } = await makeWorld();
  const wanted = [{ family: 4, count: 3 }] as const;
  const told = await assigned(calm, instanceRequest(podOf("a"), { wanted }));
  for (const answer of [await release(calm), await release(calm)])
    expect([...answer.kept].sort()).toEqual(addressesIn(told).sort());
});
