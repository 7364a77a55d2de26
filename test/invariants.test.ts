import { describe, expect, it } from "vitest";
import { CLOCK_SKEW_MS_MAX } from "../src/base/limits.ts";
import { Rejection } from "../src/base/outcome.ts";
import { findViolations } from "../src/invariants/invariants.ts";
import { assign } from "../src/kernel/assign/assign.ts";
import { disown } from "../src/kernel/blocks/disown-block.ts";
import { releaseHandle } from "../src/kernel/release/release-handle.ts";
import { readAddress } from "../src/nouns/address/operations/read-address.ts";
import { putPool, putSettings } from "../src/nouns/pool/operations/administration.ts";
import { putNode } from "../src/nouns/registry/operations/nodes.ts";
import { SETTINGS_DEFAULT } from "../src/nouns/settings/settings.ts";
import { hostPk } from "../src/table/key.ts";
import type { Table } from "../src/table/table.ts";
import { selector } from "./builders.ts";
import { makeChild, releaseVpc, removeChild, withVpc } from "./child-pools.ts";
import { buildIndexes, ofTenant, setIndexes } from "./indexes.ts";
import { deleted, NODE, say, stated } from "./node-events.ts";
import { from, twoSets } from "./operations/ranged-pools.ts";
import { ensure, putPrefixPools } from "./prefixes.ts";
import { reclaimAll, work } from "./scheduled-runs.ts";
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
  scheduledRuns,
  tableOf,
} from "./world.ts";

describe("I2 a response that says assigned is true and stays true", () => {
  it("through every scheduled run of the reclaimer and the repair run, however much later", async () => {
    const world = await makeWorld();
    const told = await assigned(world.calm, requestOf("pod", 2));
    await scheduledRuns(world, 10, 3_600_000);
    for (const { address, generation } of told.addresses)
      expect(await readAddress(world.calm, SPACE, addressOf(address))).toMatchObject({
        state: "assigned",
        handle: "pod",
        generation,
      });
  });
});

describe("I4 every affine block has its affinity", () => {
  it("and the next scheduled run of the reclaimer restores one that is lost", async () => {
    const world = await makeWorld();
    await assigned(world.calm, requestOf("pod", 1));
    world.table.partitions.delete(hostPk(SPACE, "host:node-1"));
    expect(findViolations(contentsIn(world), { quiet: true })).toMatchObject([{ invariant: "I4" }]);
    await reclaimAll(world.calm);
    expect(findViolations(contentsIn(world), { quiet: true })).toEqual([]);
  });
});

describe("I5 a release frees exactly what it names", () => {
  it("a repeated release changes nothing and is no error", async () => {
    const { calm } = await makeWorld();
    const told = await assigned(calm, requestOf("pod", 1));
    expect(await releaseAll(calm, told)).toMatchObject([{ status: "released" }]);
    expect(await releaseAll(calm, told)).toMatchObject([{ status: "not_assigned" }]);
  });

  it("a generation with another address frees neither, and marks nothing", async () => {
    const { calm } = await makeWorld();
    const told = await assigned(calm, requestOf("pod", 1, "key"));
    const [mine] = told.addresses;
    if (!mine) throw new Error("nothing assigned");
    const address = mine.address === "10.0.0.7" ? "10.0.0.6" : "10.0.0.7";
    expect(await releaseAll(calm, { ...told, addresses: [{ ...mine, address }] })).toMatchObject([
      { address, status: "conflict", code: "generation_conflict" },
    ]);
    expect(await assigned(calm, requestOf("pod", 1, "key"))).toEqual(told);
  });

  it("a late release does not touch the address's next owner", async () => {
    const { calm, clock } = await makeWorld(poolOf("10.0.0.0/32", 32));
    const first = await assigned(calm, requestOf("first", 1));
    await releaseAll(calm, first);
    clock.nowMs += 60_000;
    const second = await assigned(calm, requestOf("second", 1));
    expect(second.addresses[0]?.address).toBe(first.addresses[0]?.address);
    expect(await releaseAll(calm, first)).toMatchObject([
      { status: "conflict", code: "generation_conflict" },
    ]);
    expect(await readAddress(calm, SPACE, addressOf("10.0.0.0"))).toMatchObject({
      handle: "second",
    });
  });
});

describe("I6 a block is deleted only while it is empty, unmarked since it was seen idle, and old enough", () => {
  it("at its second sighting, not at its first, and not before the minimum age", async () => {
    const world = await makeWorld();
    const { calm, clock } = world;
    await releaseAll(calm, await assigned(calm, requestOf("pod", 1)));
    clock.nowMs += 10_000;
    expect(await reclaimAll(calm)).toMatchObject({ markedIdle: 1, deleted: 0 });
    clock.nowMs += 10_000;
    expect(await reclaimAll(calm)).toMatchObject({ deleted: 0 });
    clock.nowMs += 60_000;
    expect(await reclaimAll(calm)).toMatchObject({ deleted: 1 });
    expect(contentsIn(world)).toMatchObject({ blocks: [], affinities: [] });
  });

  it("and an assign in between keeps it", async () => {
    const world = await makeWorld();
    const { calm, clock } = world;
    await releaseAll(calm, await assigned(calm, requestOf("pod", 1)));
    clock.nowMs += 100_000;
    await reclaimAll(calm);
    const told = await assigned(calm, requestOf("pod", 1));
    await releaseAll(calm, told);
    clock.nowMs += 100_000;
    expect(await reclaimAll(calm)).toMatchObject({ markedIdle: 1, deleted: 0 });
  });

  it("never while an address in it cools", async () => {
    const { calm, clock } = await makeWorld();
    await assigned(calm, requestOf("pod", 1));
    clock.nowMs += 1_000_000;
    await releaseHandle(calm, SPACE, "pod");
    clock.nowMs += 1000 * COOLDOWN_SECONDS + CLOCK_SKEW_MS_MAX - 1;
    expect(await reclaimAll(calm)).toMatchObject({ markedIdle: 0, deleted: 0 });
  });
});

describe("I8 the same request with the same Idempotency-Key gives the same addresses", () => {
  it("also when its pool was disabled, or the limits lowered, since", async () => {
    const { calm } = await makeWorld();
    const told = await assigned(calm, requestOf("pod", 2, "key"));
    const { pools } = await calm.store.readSpace(SPACE);
    const disabled = { ...poolOf("10.0.0.0/29", 31), disabled: true };
    await putPool(calm, SPACE, "pool", disabled, pools[0]?.revision);
    expect(await assigned(calm, requestOf("pod", 2, "key"))).toEqual(told);
    const { settingsRevision } = await calm.store.readSpace(SPACE);
    await putSettings(
      calm,
      SPACE,
      { ...SETTINGS_DEFAULT, maxAddressesPerRequest: 1 },
      settingsRevision,
    );
    expect(await assigned(calm, requestOf("pod", 2, "key"))).toEqual(told);
  });

  it("and after its release it is told so, and takes nothing", async () => {
    const { calm } = await makeWorld();
    await releaseAll(calm, await assigned(calm, requestOf("pod", 1, "key")));
    expect(await assign(calm, requestOf("pod", 1, "key"))).toMatchObject({
      code: "already_released",
    });
  });
});

describe("I10 with strict affinity a host gets addresses of its own blocks only", () => {
  it("also while a block changes hands under a request that has learned it", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/30", 30), { strictAffinity: true });
    const first = await assigned(world.calm, requestOf("pod", 1));
    const [block] = contentsIn(world).blocks;
    if (!block) throw new Error("no block");
    // The warm function still expects that the block belongs to its host.
    const other = contextOver(world.table, world.clock, 9);
    expect(await disown(other, block)).toBe(true);
    expect(await assign(world.calm, requestOf("more", 1))).toMatchObject({
      code: "pool_exhausted",
    });
    expect(first.addresses).toHaveLength(1);
  });

  it("also while another host takes an empty block over", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/30", 30), { strictAffinity: true });
    await releaseAll(world.calm, await assigned(world.calm, requestOf("pod", 1)));
    await scheduledRuns(world, 1);
    world.clock.nowMs += 70_000;
    const other = contextOver(world.table, world.clock, 9);
    const heir = { ...requestOf("heir", 1), host: "host:node-2" } as const;
    expect((await assigned(other, heir)).addresses).toMatchObject([{ borrowed: false }]);
    // The warm function still expects that the block belongs to its host.
    expect(await assign(world.calm, requestOf("more", 1))).toMatchObject({
      code: "pool_exhausted",
    });
  });
});

describe("I11 everything a host holds is found under the host", () => {
  it("in a block with its affinity, or in one with its borrowed block, also when a block is taken from it", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/30", 30));
    await assigned(world.calm, requestOf("pod", 1));
    await assigned(world.calm, { ...requestOf("guest", 1), host: "host:node-2" });
    const [block] = contentsIn(world).blocks;
    if (!block) throw new Error("no block");
    await disown(world.calm, block);
    expect(
      contentsIn(world)
        .borrowedBlocks.map(({ host }) => host)
        .sort(),
    ).toEqual(["host:node-1", "host:node-2"]);
    expect(findViolations(contentsIn(world), { quiet: true })).toEqual([]);
  });
});

describe("I12 a host gets addresses by itself only of pools that select it", () => {
  it("also while its labels change under a request that has read them", async () => {
    const text = 'zone == "west"';
    const selective = {
      ...poolOf("10.0.0.0/29", 31),
      nodeSelector: { text, selector: selector(text) },
    };
    const world = await makeWorld(selective);
    const { calm, clock, table } = world;
    const registered = await putNode(
      calm,
      SPACE,
      "node-1",
      { labels: { zone: "west" } },
      undefined,
    );
    if (registered instanceof Rejection) throw new Error(registered.detail);
    const slow: Table = {
      ...tableOf(world),
      query: async (pk, options) => {
        const items = await table.query(pk, options);
        if (!pk.startsWith("GROUPINDEX#")) return items;
        const { revision } = registered.value;
        const moved = await putNode(calm, SPACE, "node-1", { labels: { zone: "east" } }, revision);
        if (!(moved instanceof Rejection)) clock.nowMs = moved.effectiveAtMs;
        return items;
      },
    };
    const late = assign(contextOver(slow, clock, 9), requestOf("pod", 1));
    await expect(late).rejects.toThrow("longer than a function can run");
    expect(contentsIn(world).allocations).toEqual([]);
    expect(await assign(calm, requestOf("pod", 1))).toMatchObject({ code: "no_pool_available" });
  });
});

describe("I13 two ranged pools share no address, and nobody is served outside of a set", () => {
  it("also where they split a block, and callers of both fill it at once", async () => {
    const world = await makeWorld();
    await twoSets(world);
    const { table, clock } = world;
    const counts = { red: 6, blue: 4 };
    const answers = await Promise.all(
      Object.entries(counts).flatMap(([pool, count]) =>
        Array.from({ length: count }, (_, n) =>
          assigned(contextOver(table, clock, n), from(`${pool}-${n}`, 1, pool)),
        ),
      ),
    );
    const given = (name: string) =>
      answers
        .flatMap(({ addresses }) => addresses.filter(({ pool }) => pool === name))
        .map(({ address }) => Number(address.split(".").at(-1)))
        .sort((a, b) => a - b);
    expect(given("red")).toEqual([0, 1, 2, 3, 4, 5]);
    expect(given("blue")).toEqual([6, 7, 8, 9]);
    for (const pool of ["red", "blue"])
      expect(await assign(world.calm, from("late", 1, pool))).toMatchObject({
        code: "pool_exhausted",
      });
    expect(findViolations(contentsIn(world))).toEqual([]);
  });
});

describe("I9 a released address is not given out again before its cooldown is over", () => {
  it("not by itself, not when asked for, and not when its block was reclaimed and claimed again", async () => {
    const { calm, clock } = await makeWorld(poolOf("10.0.0.0/32", 32));
    const told = await assigned(calm, requestOf("pod", 1));
    clock.nowMs += 1_000_000;
    await releaseAll(calm, told);
    clock.nowMs += 5_000; // the pool's cooldown, but not the clocks' skew
    const specific = { ...requestOf("other", 1), addresses: [addressOf("10.0.0.0")] };
    expect(await assign(calm, specific)).toMatchObject({ code: "address_cooling" });
    expect(await assign(calm, requestOf("other", 1))).toMatchObject({ code: "pool_exhausted" });
    await reclaimAll(calm);
    await reclaimAll(calm);
    expect(await assign(calm, specific)).toMatchObject({ code: "address_cooling" });
    clock.nowMs += CLOCK_SKEW_MS_MAX;
    expect(await assign(calm, specific)).toMatchObject({ handle: "other" });
  });
});

describe("I18 what a node has goes by its own word or by its end alone", () => {
  it("not by silence, by a taint, by a stale or repeated event, or by another object of its name", async () => {
    const world = await makeWorld();
    await putPrefixPools(world.calm);
    await say(world.calm, stated(5));
    const podCidrs = await ensure(world.calm, NODE, { uid: "uid-1" });
    await ensure(world.calm, NODE, { uid: "uid-1", podCidrs });
    const unready = { conditions: [["Ready", "Unknown"]], isUnschedulable: true } as const;
    const other = { uid: "uid-0", createdAtMs: 500 };
    const end = deleted(6, "uid-0");
    await say(world.calm, stated(9, unready), deleted(8), stated(4), stated(3, other), end, end);
    await scheduledRuns(world, 9);
    const held = contentsIn(world).allocations.map(({ handle }) => handle);
    expect(held).toEqual(["node/node-1/uid-1"]);
  });
});

describe("I23 a pool that is made of a prefix keeps the prefix", () => {
  it("until it is deleted: its prefix can be released then", async () => {
    const world = await makeWorld();
    await withVpc(world);
    await makeChild(world.calm);
    expect(await releaseVpc(world.calm)).toMatchObject({ code: "prefix_in_use" });
    await removeChild(world.calm);
    await work(world.calm, world.clock, 8);
    expect(await releaseVpc(world.calm)).toMatchObject({
      complete: true,
      released: [{ prefix: 24 }],
    });
  });
});

describe("I22 a complete index leads to every address that has its attribute", () => {
  it("and the checker says what it does not lead to", async () => {
    const world = await makeWorld();
    await setIndexes(world.calm, ["tenant"]);
    await buildIndexes(world);
    await assigned(world.calm, ofTenant("web-0", "red"));
    const contents = contentsIn(world);
    expect(findViolations(contents)).toEqual([]);
    expect(findViolations({ ...contents, indexEntries: [] })).toMatchObject([{ invariant: "I22" }]);
    const [entry] = contents.indexEntries;
    const left = { ...contents, allocations: [], blocks: [], indexEntries: entry ? [entry] : [] };
    expect(findViolations(left, { quiet: true }).map(({ invariant }) => invariant)).toContain(
      "tidy",
    );
  });
});
