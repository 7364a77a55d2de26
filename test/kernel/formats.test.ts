import { beforeEach, describe, expect, it } from "vitest";
import { CorruptItemError, Rejection } from "../../src/base/outcome.ts";
import { findViolations } from "../../src/invariants/invariants.ts";
import { claimAffinities } from "../../src/kernel/affinities/claim-range.ts";
import { releaseRange } from "../../src/kernel/affinities/release-range.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import { configurationOf } from "../../src/kernel/core/configuration.ts";
import { parseGeneration } from "../../src/kernel/values/generation.ts";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import { amendAddress } from "../../src/nouns/address/operations/amend-address.ts";
import { readBlock } from "../../src/nouns/block/operations/read-block.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import {
  type Accepted,
  drainPool,
  listJobs,
  releasePool,
} from "../../src/nouns/pool/operations/pool-jobs.ts";
import { putNode } from "../../src/nouns/registry/operations/nodes.ts";
import type { Item } from "../../src/table/item.ts";
import { TABLE_KEY } from "../../src/table/key.ts";
import { selector } from "../builders.ts";
import { stoppedBefore } from "../simulation/crash-points.ts";
import {
  addressOf,
  assigned,
  cidrOf,
  contentsIn,
  contextOver,
  deployedOver,
  makeWorld,
  poolNamed,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
  type World,
} from "../world.ts";

/** These tests give an item the format of another version after a read, and keep the revision, epoch and token that were read. */

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});

const itemIn = (key: string): Item => {
  const found = world.table.items().find(({ pk, sk }) => `${pk} ${sk}`.startsWith(key));
  if (!found) throw new Error(`nothing is under ${key}`);
  return found;
};

/** Gives an item the format of another version while `act` runs, and checks that `act` leaves it unchanged. */
async function outdated(key: string, act: () => Promise<unknown>): Promise<void> {
  const item = itemIn(key);
  const newer = { ...item, f: Number(item.f) + 1 };
  const partition = world.table.partitions.get(item.pk);
  partition?.set(item.sk, newer);
  await act();
  expect(world.table.partitions.get(item.pk)?.get(item.sk)).toBe(newer);
  partition?.set(item.sk, item);
}

describe("what another version has made its own", () => {
  it("is not replaced by who saw it before", async () => {
    const { store } = world.calm;
    await putNode(world.calm, SPACE, "node-1", { labels: {} }, undefined);
    const seen = await store.readNode(SPACE, "node-1");
    if (!seen) throw new Error("there is no node");
    await outdated(`HOST#${SPACE}#host:node-1`, async () => {
      const changed = store.changeNode(seen, { ...seen, labels: { a: "b" } });
      await expect(changed).rejects.toThrow(CorruptItemError);
    });
  });

  it("is not changed by who saw it before", async () => {
    const told = await assigned(world.calm, requestOf("web", 1));
    await outdated("BLOCK#", async () => {
      expect(await releaseAll(world.calm, told)).toMatchObject([
        { status: "conflict", code: "unreadable" },
      ]);
    });
    await releaseAll(world.calm, told);
  });

  it("is not deleted by who saw it before", async () => {
    const told = await assigned(world.calm, requestOf("web", 1));
    await outdated("HANDLE#", async () => {
      expect(await releaseAll(world.calm, told)).toMatchObject([{ status: "released" }]);
    });
  });
});

describe("a slot write that nobody answered, in a block that another version then made its own", () => {
  /** Lets the n-th write that takes slots succeed without an answer, and passes its item to `then`. Returns a function that undoes this. */
  const unanswered = (nth: number, then: (item: Item) => void) => {
    const { table } = world;
    const write = table.write.bind(table);
    let writes = 0;
    table.write = async (each) => {
      const outcome = await write(each);
      if (each.step !== "take-slots" || ++writes !== nth || outcome.outcome !== "done")
        return outcome;
      then(outcome.item);
      return { outcome: "unknown" };
    };
    return () => {
      table.write = write;
    };
  };
  const replace = (item: Item) => world.table.partitions.get(item.pk)?.set(item.sk, item);

  it.each([
    ["an allocation of one part", 1, 1],
    ["a pending allocation that holds another part", 6, 2],
    ["a pending allocation that holds nothing", 6, 1],
  ])("leaves %s, so that nothing is taken without one", async (_, count, nth) => {
    world = await makeWorld(poolOf("10.0.0.0/26", 30));
    const seen: Item[] = [];
    const answerAgain = unanswered(nth, (item) => {
      seen.push(item);
      replace({ ...item, f: Number(item.f) + 1 });
    });
    await expect(assign(world.calm, requestOf("web", count))).rejects.toThrow(CorruptItemError);
    answerAgain();
    for (const item of seen) replace(item);
    expect(seen).toHaveLength(1);
    expect(findViolations(contentsIn(world))).toEqual([]);
  });
});

describe("a job", () => {
  const job = async () => (await listJobs(world.calm, SPACE)).items[0];
  const work = async () => (await runJobs(contextOver(world.table, world.clock, 9))).failures;
  const begun = async (answer: Promise<Pick<Accepted, "job"> | Rejection>) =>
    expect(await answer).not.toBeInstanceOf(Rejection);
  const reads = (key: string) => {
    const { f } = itemIn(key);
    return `has format ${Number(f) + 1}, and this version reads format ${f}`;
  };

  it("that releases blocks is not done as long as what they are judged by cannot be read", async () => {
    await assigned(world.calm, requestOf("web", 1));
    await begun(releasePool(world.calm, { space: SPACE, name: "pool", mustBeEmpty: false }));
    const readsSettings = reads("SPACE#default CONFIG");
    await outdated("SPACE#default CONFIG", async () => {
      expect(await work()).toEqual([expect.any(CorruptItemError)]);
      const item = `configuration of space ${SPACE}`;
      expect(await job()).toMatchObject({
        state: "running",
        detail: `Waits for unreadable items: the item of ${item} ${readsSettings}.`,
      });
    });
    expect(contentsIn(world).blocks).toMatchObject([{ host: "host:node-1" }]);
    expect(await work()).toEqual([]);
    expect(await job()).toMatchObject({ state: "done" });
    expect(contentsIn(world).blocks[0]).not.toHaveProperty("host");
  });

  it("that drains a pool says which block cannot be read, and counts no address in it", async () => {
    const told = await assigned(world.calm, requestOf("web", 1));
    await begun(drainPool(world.calm, SPACE, "pool", (await poolNamed(world)).revision));
    const [name] = told.addresses[0]?.block.split("/") ?? [];
    const readsBlock = reads("BLOCK#");
    await outdated("BLOCK#", async () => {
      expect(await work()).toHaveLength(1);
      expect(await job()).toMatchObject({
        state: "running",
        detail: `Waits for unreadable items: the item of block ${name} ${readsBlock}.`,
        lastWalk: { blocks: 1, taken: 0 },
      });
    });
    await work();
    expect(await job()).toMatchObject({ detail: "Waits for 1 address to be released." });
  });
});

describe("a release of a range of affinities", () => {
  const host = "host:node-1";
  const released = (context: World["calm"], cidr: string) =>
    releaseRange(context, { space: SPACE, host, cidr: cidrOf(cidr), mustBeEmpty: false });
  const claimed = (cidr: string) =>
    claimAffinities(world.calm, { space: SPACE, host, cidr: cidrOf(cidr) });

  it("does not say that a host owns nothing where the pool cannot be read", async () => {
    await claimed("10.0.0.0/29");
    await outdated("SPACE#default POOL#", async () => {
      const cold = contextOver(world.table, world.clock, 2);
      await expect(released(cold, "10.0.0.0/29")).rejects.toThrow(CorruptItemError);
    });
  });

  it("hears of a pool that is younger than what its function knows", async () => {
    const old = contextOver(world.table, world.clock, 2);
    await configurationOf(old, SPACE);
    await putPool(world.calm, SPACE, "young", poolOf("10.1.0.0/24", 26), undefined);
    await claimed("10.1.0.0/24");
    expect(await released(old, "10.1.0.0/24")).toMatchObject({
      items: Array(4).fill({ status: "disowned", inUse: 0 }),
    });
  });

  it("takes no word of a pool whose creation was cut off, and neither does who looks at a block", async () => {
    await claimed("10.0.0.0/31");
    const pool = await poolNamed(world);
    const lost = { ...pool, id: "lost", name: "a", blockSize: 30, state: "pending" } as const;
    await world.calm.store.putPool(lost, undefined);
    const cold = contextOver(world.table, world.clock, 2);
    const seen = await readBlock(cold, { space: SPACE, cidr: cidrOf("10.0.0.0/31"), limit: 1 });
    expect(seen).toMatchObject({ block: { pool: "pool" } });
    expect(await released(cold, "10.0.0.0/31")).toMatchObject({ items: [{ status: "disowned" }] });
  });
});

it("a host whose labels cannot be read keeps its warm blocks in a pool that selects by them", async () => {
  const west = 'zone == "west"';
  const nodeSelector = { text: west, selector: selector(west) };
  world = await makeWorld({ ...poolOf("10.0.0.0/29", 31), nodeSelector }, { warmBlocksPerHost: 1 });
  await putNode(world.calm, SPACE, "node-1", { labels: { zone: "west" } }, undefined);
  await assigned(world.calm, requestOf("kept", 2));
  await releaseAll(world.calm, await assigned(world.calm, requestOf("gone", 2)));
  await outdated("HOST#default#host:node-1 NODE", async () => {
    await scheduledRuns(world, 4);
    expect(contentsIn(world).blocks).toHaveLength(2);
  });
});

it("a function that writes the first item keeps the format of keys that another version wrote", async () => {
  const item = { ...TABLE_KEY, f: 1, k: 3 };
  world.table.partitions.set(item.pk, new Map([[item.sk, item]]));
  const { store } = deployedOver(world.table, world.clock, 2);
  await expect(store.registerSpace("other", "id")).rejects.toThrow("of the keys of its table");
  expect(itemIn("TABLE")).toBe(item);
  world.table.partitions.delete(item.pk);
});

it("a function that writes the first item keeps the format that another version writes meanwhile", async () => {
  const slow = stoppedBefore(world.table, (step) => step === "tell-format");
  const { store } = deployedOver(slow.table, world.clock, 2);
  const registered = store.registerSpace("other", "id");
  await slow.stops;
  const item = { ...TABLE_KEY, f: 1, k: 3 };
  world.table.partitions.set(item.pk, new Map([[item.sk, item]]));
  slow.goOn();
  await expect(registered).rejects.toThrow("of the keys of its table");
  expect(itemIn("TABLE")).toBe(item);
  world.table.partitions.delete(item.pk);
});

it("an address is not called released where its allocation may stand under other keys", async () => {
  const told = await assigned(world.calm, requestOf("web", 1));
  const [{ address, generation } = { address: "", generation: "" }] = told.addresses;
  await releaseAll(world.calm, told);
  const proof = parseGeneration(generation);
  if (!proof.ok) throw new Error(proof.problem);
  const amend = () =>
    amendAddress(contextOver(world.table, world.clock, 2), SPACE, {
      address: addressOf(address),
      generation: proof.value,
      owner: { alternate: { namespace: "shop", name: "b" } },
    });
  expect(await amend()).toMatchObject({ code: "generation_conflict" });
  const item = { ...TABLE_KEY, f: 1, k: 3 };
  world.table.partitions.set(item.pk, new Map([[item.sk, item]]));
  await expect(amend()).rejects.toThrow("of the keys of its table");
  world.table.partitions.delete(item.pk);
});
