import { beforeEach, describe, expect, it } from "vitest";
import { BLOCKS_READ_AT_ONCE } from "../../src/base/limits.ts";
import { type Rejection, ThrottledError } from "../../src/base/outcome.ts";
import { releaseAffinity } from "../../src/kernel/affinities/release-range.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Assignment } from "../../src/kernel/assign/assignment.ts";
import { deleteEmptyBlock } from "../../src/kernel/blocks/delete-empty-block.ts";
import { isWhollyTaken } from "../../src/kernel/values/block.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { formatCidr } from "../../src/net/cidr.ts";
import type { Settings } from "../../src/nouns/settings/settings.ts";
import type { Table } from "../../src/table/table.ts";
import { callsOf, withIntruder } from "../simulation/crash-points.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  copyOf,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
  tableOf,
  type World,
} from "../world.ts";

const HOST: HostId = "host:node-1";
const SIZE = 4;

let world: World;
let held: Assignment[];

/** The full worlds by their settings, with what is held in them. */
const full = new Map<string, Promise<{ readonly world: World; readonly held: Assignment[] }>>();

/** Sets up a world whose host has its maximum of blocks, each of four addresses and full. */
async function fill(blocks: number, more: Partial<Settings> = {}) {
  const settings = { maxBlocksPerHost: blocks, cooldownSeconds: 0, ...more };
  const key = JSON.stringify(settings);
  const filled = full.get(key) ?? filledWith(blocks, settings);
  full.set(key, filled);
  const { world: first, held: all } = await filled;
  const copy = copyOf(first);
  world = { ...copy, calm: { ...copy.calm, cache: first.calm.cache } };
  held = [...all];
}

async function filledWith(blocks: number, settings: Partial<Settings>) {
  const world = await makeWorld(poolOf("10.0.0.0/22", 30), settings);
  const held: Assignment[] = [];
  for (let n = 0; n < blocks; n++) held.push(await assigned(world.calm, requestOf(`h${n}`, SIZE)));
  return { world, held };
}

let seed = 100;
const anew = (table: Table = world.table) => contextOver(table, world.clock, seed++);

/** Assigns one more address to a host in a function that has just started; returns the answer and the number of calls. */
async function oneMore(host = HOST) {
  let answer: Assignment | Rejection | undefined;
  const calls = await callsOf(world.table, async (table) => {
    const context = anew(table);
    answer = await assign(context, { ...requestOf(`more-${seed}`, 1), host });
  });
  return { answer: answer as Assignment | Rejection, calls: calls.length };
}

/** Releases the first address of an assignment. */
const giveOneBack = (told: Assignment | undefined, table: Table = world.table) =>
  releaseAll(anew(table), told && { ...told, addresses: told.addresses.slice(0, 1) });

const blockOfAnswer = (told: Assignment | undefined) => told?.addresses[0]?.block;
const hints = () => contentsIn(world).fullBlocks.map(({ block }) => formatCidr(block));
const roomy = () =>
  contentsIn(world)
    .blocks.filter((block) => !isWhollyTaken(block))
    .map(({ cidr }) => formatCidr(cidr));

describe("a host that has 200 blocks, as many as it may", () => {
  beforeEach(() => fill(200));

  it("all full, is rejected at a few calls after the first time, and for good: hints tell of each", async () => {
    await oneMore();
    for (let n = 0; n < 3; n++) {
      const { answer, calls } = await oneMore();
      expect(answer).toMatchObject({ code: "block_limit" });
      expect((answer as Rejection).members).not.toHaveProperty("retryable");
      expect((answer as Rejection).detail).toContain(
        "196 more of its blocks are called full, and were not read",
      );
      expect(calls).toBeLessThanOrEqual(13);
    }
  });

  it("gets the one address that is free at a few calls, wherever it is", async () => {
    await oneMore();
    for (const n of [0, 77, 199]) {
      await giveOneBack(held[n]);
      const { answer, calls } = await oneMore();
      expect(blockOfAnswer(answer as Assignment)).toBe(blockOfAnswer(held[n]));
      expect(calls).toBeLessThanOrEqual(8);
    }
  });

  it("borrows at a few calls where another host has room", async () => {
    await assigned(anew(), { ...requestOf("other", 1), host: "host:node-2" });
    await oneMore();
    const { answer, calls } = await oneMore();
    expect(answer).toMatchObject({ addresses: [{ borrowed: true }] });
    expect(calls).toBeLessThanOrEqual(14);
  });

  it("is looked through at a few calls by a function that remembers all its blocks", async () => {
    await oneMore();
    const calls = await callsOf(world.table, (table) =>
      assign({ ...anew(table), cache: world.calm.cache }, requestOf("warm", 1)),
    );
    expect(calls.length).toBeLessThanOrEqual(12);
  });
});

describe("a host with a few blocks more than are read at once", () => {
  const BLOCKS = BLOCKS_READ_AT_ONCE + 1;
  beforeEach(() => fill(BLOCKS));

  it("has a hint for each that is full, and loses it with the first address that is freed", async () => {
    expect(hints()).toEqual([]);
    await oneMore();
    expect(hints()).toHaveLength(BLOCKS);
    await giveOneBack(held[1]);
    expect(hints()).toHaveLength(BLOCKS - 1);
    expect(hints()).not.toContain(blockOfAnswer(held[1]));
    const calls = await callsOf(world.table, (table) =>
      releaseAll(anew(table), held[1] && { ...held[1], addresses: held[1].addresses.slice(1, 2) }),
    );
    expect(calls).not.toContain("full-freed");
  });

  it("is never left with a wrong hint by what is freed while its blocks are looked through", async () => {
    const calls = await callsOf(world.table, (table) => assign(anew(table), requestOf("more", 1)));
    expect(calls.length).toBeGreaterThan(2 * BLOCKS);
    for (let at = 0; at < calls.length; at++) {
      await fill(BLOCKS);
      const table = withIntruder(world.table, at, async () => {
        for (const told of held) await giveOneBack(told);
      });
      await assign(anew(table), requestOf("more", 1));
      expect(hints().filter((block) => roomy().includes(block))).toEqual([]);
    }
  });

  it("makes no block out of one that goes while it is being called full", async () => {
    const calls = await callsOf(world.table, (table) => assign(anew(table), requestOf("more", 1)));
    for (let at = 0; at < calls.length; at++) {
      await fill(BLOCKS);
      const table = withIntruder(world.table, at, async () => {
        for (const told of held) await releaseAll(anew(), told);
        for (const block of contentsIn(world).blocks) await deleteEmptyBlock(anew(), block);
      });
      await assign(anew(table), requestOf("more", 1));
      expect(contentsIn(world).unreadable).toEqual([]);
    }
  });

  it("finds room in a block that is called full wrongly, and the hint goes", async () => {
    await oneMore();
    const before = new Map(world.table.partitions.get(`HOST#${SPACE}#${HOST}`));
    await giveOneBack(held[2]);
    world.table.partitions.set(`HOST#${SPACE}#${HOST}`, before);
    for (let n = 0; n < 8 && hints().length === BLOCKS; n++) await oneMore();
    expect(hints()).not.toContain(blockOfAnswer(held[2]));
    expect(roomy()).toEqual([]);
  });

  it("loses a hint that a release left when it was cut off, at the latest with the sweep", async () => {
    await oneMore();
    const killed: Table = {
      ...tableOf(world),
      write: async (write) => {
        if (write.step === "full-freed") throw new Error("killed");
        return world.table.write(write);
      },
    };
    await expect(giveOneBack(held[3], killed)).rejects.toThrow("killed");
    expect(hints()).toContain(blockOfAnswer(held[3]));
    await scheduledRuns(world, 2);
    expect(hints()).not.toContain(blockOfAnswer(held[3]));
    expect(hints()).toHaveLength(BLOCKS - 1);
  });

  it("loses the hint of a block with the block", async () => {
    await oneMore();
    const block = contentsIn(world).blocks[0];
    if (!block) throw new Error("there is no block");
    await releaseAffinity(anew(), {
      space: SPACE,
      host: HOST,
      cidr: block.cidr,
      mustBeEmpty: false,
    });
    expect(hints()).toHaveLength(BLOCKS - 1);
    expect(hints()).not.toContain(formatCidr(block.cidr));
  });

  it("does not read those again in which addresses cool, until one has cooled", async () => {
    await fill(BLOCKS, { cooldownSeconds: 30 });
    for (const told of held) await giveOneBack(told);
    await oneMore();
    expect(hints()).toHaveLength(BLOCKS);
    const { answer, calls } = await oneMore();
    expect(answer).toMatchObject({ code: "block_limit" });
    expect(calls).toBeLessThanOrEqual(12);
    world.clock.nowMs += 33_000;
    expect((await oneMore()).answer).toMatchObject({ addresses: [{ borrowed: false }] });
  });
});

it("a host whose blocks are all read at once has no hints, and pays for none", async () => {
  await fill(BLOCKS_READ_AT_ONCE);
  await oneMore();
  expect(hints()).toEqual([]);
  const calls = await callsOf(world.table, (table) => giveOneBack(held[0], table));
  expect(calls.filter((step) => step.startsWith("full"))).toEqual([]);
});

describe("a hint that the database throttles", () => {
  /** Returns the world's table, which throttles every write of a hint. */
  const rejecting = (): Table => ({
    ...tableOf(world),
    write: async (write) => {
      const isHint = write.key.sk.startsWith("FULL#") || write.step.startsWith("full-");
      if (isHint) throw new ThrottledError("the database throttled a write");
      return world.table.write(write);
    },
  });

  it("keeps no release from its end", async () => {
    await fill(2 * BLOCKS_READ_AT_ONCE);
    await oneMore();
    const [told] = held;
    expect(hints()).toContain(blockOfAnswer(told));
    expect(await releaseAll(anew(rejecting()), told)).toMatchObject(
      Array(SIZE).fill({ status: "released" }),
    );
    expect(contentsIn(world).allocations.map(({ handle }) => handle)).not.toContain(told?.handle);
  });

  it("keeps no host from an address", async () => {
    await fill(2 * BLOCKS_READ_AT_ONCE);
    await giveOneBack(held[3]);
    const answer = await assign(anew(rejecting()), requestOf("more", 1));
    expect(answer).toMatchObject({ addresses: [{ block: blockOfAnswer(held[3]) }] });
  });
});
