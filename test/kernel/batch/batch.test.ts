import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { PAGE_MS_MAX, REQUEST_MS_MAX } from "../../../src/base/limits.ts";
import { DeadlineError, Rejection } from "../../../src/base/outcome.ts";
import { type BatchItem, type BatchResult, batch } from "../../../src/kernel/batch/batch.ts";
import { fence } from "../../../src/kernel/blocks/fence-block.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import type { Block } from "../../../src/kernel/values/block.ts";
import { parseGeneration } from "../../../src/kernel/values/generation.ts";
import type { Table, Write } from "../../../src/table/table.ts";
import {
  addressOf,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../../world.ts";

const item = (handle: string, { count = 1, host = "node-1" } = {}): BatchItem => ({
  kind: "assign",
  request: { ...requestOf(handle, count, "key"), host: `host:${host}` },
});
const handles = (count: number, options = {}) =>
  Array.from({ length: count }, (_, n) => item(`h-${n}`, options));

const addressesIn = (results: readonly BatchResult[]): readonly string[] =>
  results.flatMap((result) => {
    if (result.kind !== "assigned" || result.answer instanceof Rejection) return [];
    return result.answer.addresses.map(({ address }) => address);
  });

/** Serves items one after another, each in a batch of its own. */
async function inTurn(context: Context, ...items: readonly BatchItem[]): Promise<BatchResult[][]> {
  const results: BatchResult[][] = [];
  for (const each of items) results.push([...(await batch(context, [each]))]);
  return results;
}

const takenIn = ({ slots }: Block): number =>
  [...slots.values()].filter(({ kind }) => kind === "taken").length;

/** Returns true if an address is in a block of four addresses. */
const isIn = (base: string, address: string): boolean =>
  Number(address.split(".").at(-1)) >> 2 === Number(base.split(".").at(-1)) >> 2;

/** Returns the releases of all that a batch assigned, each a request of its own. */
const releasesOf = (results: readonly BatchResult[]): readonly BatchItem[] =>
  results.flatMap((result) => {
    if (result.kind !== "assigned" || result.answer instanceof Rejection) return [];
    return result.answer.addresses.map(({ address, generation }): BatchItem => {
      const parsed = parseGeneration(generation);
      if (!parsed.ok) throw new Error(parsed.problem);
      const entries = [{ address: addressOf(address), generation: parsed.value }];
      return { kind: "release", space: SPACE, entries, keep: false };
    });
  });

/** Returns a function whose writes are noted, answered as a test wants, and not made at once. */
function watched(
  world: World,
  answer: (write: Write) => ReturnType<Table["write"]> | undefined = () => undefined,
) {
  const steps: string[] = [];
  const table: Table = {
    ...tableOf(world),
    write: async (write) => {
      steps.push(write.step);
      await setImmediate();
      return answer(write) ?? world.table.write(write);
    },
  };
  const of = (step: string) => steps.filter((each) => each === step).length;
  return { context: contextOver(table, world.clock, 7), of };
}

describe("a batch", () => {
  it("gives each request addresses of its own", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/24", 28));
    const results = await batch(world.calm, handles(100));
    expect(new Set(addressesIn(results)).size).toBe(100);
    expect(contentsIn(world).allocations).toHaveLength(100);
  });

  it("claims no more blocks for a host than its addresses need", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/22", 28));
    await batch(world.calm, handles(100));
    expect(contentsIn(world).blocks).toHaveLength(7);
  });

  it("takes the slots of one block in a few writes", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/22", 26));
    const { context, of } = watched(world);
    await batch(context, handles(256));
    expect(of("create-allocation")).toBe(256);
    expect(of("take-slots")).toBeLessThanOrEqual(8);
  });

  it("frees the slots of one block in a few writes", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/22", 26));
    const results = await batch(world.calm, handles(256));
    const { context, of } = watched(world);
    const released = await batch(context, releasesOf(results));
    expect(released.every(({ kind }) => kind === "released")).toBe(true);
    expect(contentsIn(world).blocks.flatMap(({ slots }) => [...slots.values()])).not.toContainEqual(
      expect.objectContaining({ kind: "taken" }),
    );
    expect(of("free-slots")).toBeLessThanOrEqual(4 * 12);
  });

  it("answers the same when it is sent again", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/24", 28));
    const first = await batch(world.calm, handles(40));
    const again = await batch(contextOver(world.table, world.clock, 9), handles(40));
    expect(addressesIn(again)).toEqual(addressesIn(first));
  });

  it("rejects those for which there is no address, and serves the others", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/28", 30));
    const results = await batch(world.calm, handles(20));
    expect(new Set(addressesIn(results)).size).toBe(16);
    const rejected = results.flatMap((each) =>
      each.kind === "assigned" && each.answer instanceof Rejection ? [each.answer.code] : [],
    );
    expect(rejected).toEqual(Array.from({ length: 4 }, () => "pool_exhausted"));
    expect(contentsIn(world).allocations).toHaveLength(16);
  });

  it("serves many hosts, each from a block of its own", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/20", 28));
    const items = Array.from({ length: 60 }, (_, n) => item(`h-${n}`, { host: `node-${n % 20}` }));
    const results = await batch(world.calm, items);
    expect(new Set(addressesIn(results)).size).toBe(60);
    expect(contentsIn(world).blocks).toHaveLength(20);
  });

  it("serves requests of several blocks beside those of one address", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/24", 28));
    const items = [item("many", { count: 40 }), ...handles(30), item("more", { count: 20 })];
    const results = await batch(world.calm, items);
    expect(new Set(addressesIn(results)).size).toBe(90);
  });

  it("gives a request another address if a caller outside of it takes the selected one", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/27", 27));
    await batch(world.calm, [item("first")]);
    const warm = contextOver(world.table, world.clock, 3);
    await batch(warm, [item("second")]);
    // The warm function does not know what others took meanwhile.
    await batch(world.calm, handles(15));
    const results = await batch(
      warm,
      Array.from({ length: 15 }, (_, n) => item(`late-${n}`)),
    );
    expect(new Set(addressesIn(results)).size).toBe(15);
  });

  it("gives a request the last address, although a fence made its first write fail", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/30", 30));
    await batch(world.calm, [item("first", { count: 3 })]);
    const [block] = contentsIn(world).blocks;
    let isFirst = true;
    const { context } = watched(world, (write) => {
      if (write.step !== "take-slots" || !block || !isFirst) return undefined;
      isFirst = false;
      return fence(world.calm, "replay-fence", SPACE, block.cidr).then(() =>
        world.table.write(write),
      );
    });
    expect(addressesIn(await batch(context, [item("last")]))).toHaveLength(1);
  });

  it("holds what it took when a shared write gets no answer", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/26", 26));
    await batch(world.calm, [item("first")]);
    let silent = 0;
    const { context } = watched(world, (write) => {
      if (write.step !== "take-slots" || silent++ > 1) return undefined;
      return world.table.write(write).then(() => ({ outcome: "unknown" }) as const);
    });
    const results = await batch(context, handles(20));
    expect(new Set(addressesIn(results)).size).toBe(20);
  });

  it("leaves what it has no time for, and says so", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/22", 26));
    const { context } = watched(world, (write) => {
      if (write.step === "take-slots") world.clock.nowMs += PAGE_MS_MAX + 1;
      return undefined;
    });
    const results = await batch(context, handles(200));
    expect(results[0]?.kind).toBe("assigned");
    expect(results.at(-1)).toEqual({ kind: "unfinished" });
  });

  it("ends a request that is too old, although it selected again from a block of which it holds a part", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/29", 30), { cooldownSeconds: 0 });
    const [one = [], half = [], two = []] = await inTurn(
      world.calm,
      ...["one", "half", "two"].map((handle) => item(handle, { count: 2 })),
    );
    await batch(world.calm, releasesOf(half));
    let writes = 0;
    const { context } = watched(world, (write) => {
      if (write.step !== "take-slots" || ++writes !== 2) return undefined;
      // Others take the room of this block and leave the other one, so that the request selects from that again. By then it is old.
      const others = addressesIn(one).some((address) => isIn(write.key.sk, address)) ? two : one;
      return inTurn(world.calm, item("filling", { count: 2 }), ...releasesOf(others)).then(() => {
        world.clock.nowMs += REQUEST_MS_MAX + 1;
        return world.table.write(write);
      });
    });
    const [result] = await batch(context, [item("many", { count: 4 })]);
    expect(result).toMatchObject({ kind: "failed", error: { message: /took longer/ } });
    expect(contentsIn(world).blocks.map(takenIn).toSorted()).toEqual([0, 4]);
  });

  it("begins nothing after the deadline of its request", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/22", 26));
    const error = new DeadlineError("the time of the request is over");
    const { context } = watched(world, (write) =>
      write.step === "create-allocation" ? Promise.reject(error) : undefined,
    );
    const results = await batch(context, handles(3));
    expect(results.map(({ kind }) => kind)).toEqual(["failed", "unfinished", "unfinished"]);
  });
});

/** Sends one batch after another until nothing of it is left. */
async function emptied(context: Context, results: readonly BatchResult[]): Promise<void> {
  await batch(context, releasesOf(results));
}

it("two batches with the same addresses to free, at once, free each once", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/26", 26));
  const results = await batch(world.calm, handles(30));
  const other = contextOver(world.table, world.clock, 5);
  await Promise.all([emptied(world.calm, results), emptied(other, results)]);
  expect(contentsIn(world).allocations.every(({ state }) => state === "released")).toBe(true);
});
