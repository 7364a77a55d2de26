import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Rejection } from "../../../src/base/outcome.ts";
import { claimAffinities } from "../../../src/kernel/affinities/claim-range.ts";
import { releaseAffinities } from "../../../src/kernel/affinities/release-range.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { Assignment } from "../../../src/kernel/assign/assignment.ts";
import { ensureBlocks } from "../../../src/kernel/assign/ensure-blocks.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import type { HostId } from "../../../src/kernel/values/host.ts";
import { putQuota } from "../../../src/nouns/quota/operations/quotas.ts";
import type { QuotaSpec } from "../../../src/nouns/quota/quota.ts";
import type { Settings } from "../../../src/nouns/settings/settings.ts";
import type { Table } from "../../../src/table/table.ts";
import { fewerRuns } from "../../property-runs.ts";
import { reclaimAll } from "../../scheduled-runs.ts";
import {
  addressOf,
  cidrOf,
  contentsIn,
  contextOver,
  daysPass,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../../world.ts";

let handles = 0;

/** Returns a world with a quota of blocks, in a pool of 16 blocks with two addresses each. */
async function withQuota(quota: QuotaSpec, settings: Partial<Settings> = {}): Promise<World> {
  const world = await makeWorld(poolOf("10.0.0.0/27", 31), { cooldownSeconds: 0, ...settings });
  await putQuota(world.calm, SPACE, "all", quota, undefined);
  return world;
}

const STRICT = { strictAffinity: true } as const;

/** Asks for addresses of a host under a handle of its own. */
const ask = (context: Context, host: string, count = 1, tenant = "red") =>
  assign(context, {
    ...requestOf(`h-${handles++}`, count),
    host: `host:${host}`,
    attributes: { tenant },
    assignedBy: "arn:aws:iam::123456789012:role/ci",
  });

/** Returns a table at which each write of a step arrives twice. The author learns the outcome of the second. */
function deliveringTwice(world: World, step: string): Table {
  const table = tableOf(world);
  return {
    ...table,
    write: async (write) => {
      if (write.step === step) await table.write(write);
      return table.write(write);
    },
  };
}

const budgetIn = (world: World) => contentsIn(world).budgets[0];
const blocksIn = (world: World) => contentsIn(world).blocks;

/** Lets blocks that are empty go. */
async function reclaim(world: World): Promise<void> {
  for (let run = 0; run < 3; run++) {
    world.clock.nowMs += 3_600_000;
    await reclaimAll(contextOver(world.table, world.clock, 60 + run));
  }
}

/** Returns how many hosts still get a block of their own. */
async function roomIn(world: World): Promise<number> {
  const context = contextOver(world.table, world.clock, 99);
  for (let count = 0; ; count++)
    if ((await ask(context, `room-${count}`)) instanceof Rejection) return count;
}

describe("a quota of blocks", () => {
  it("allows as many, and names itself, its value and who may raise it", async () => {
    const world = await withQuota({ blocks: 2 }, STRICT);
    await ask(world.calm, "node-1");
    await ask(world.calm, "node-2", 2);
    expect(await ask(world.calm, "node-3")).toMatchObject({
      code: "quota_exceeded",
      detail: `Host node-3 needs one more IPv4 block. Quota all of space ${SPACE} allows 2 blocks, and has no room for 1 more. A caller with the role operator in space ${SPACE} may raise it.`,
      members: {
        limit: { quota: "all", blocks: 2 },
        changedBy: { role: "operator", space: SPACE },
        missing: [{ family: 4, count: 1, code: "quota_exceeded" }],
      },
    });
    expect(blocksIn(world)).toHaveLength(2);
  });

  it("does not count the addresses in a block, nor a borrowed one", async () => {
    const world = await withQuota({ blocks: 1 });
    await ask(world.calm, "node-1");
    expect(await ask(world.calm, "node-2")).not.toBeInstanceOf(Rejection);
    expect(blocksIn(world)).toHaveLength(1);
    expect(await ask(world.calm, "node-2")).toMatchObject({ code: "quota_exceeded" });
  });

  it("limits a tenant, and nobody else", async () => {
    const world = await withQuota({ tenant: "red", blocks: 1 }, STRICT);
    await ask(world.calm, "node-1");
    expect(await ask(world.calm, "node-2")).toMatchObject({ code: "quota_exceeded" });
    expect(await ask(world.calm, "node-2", 1, "blue")).not.toBeInstanceOf(Rejection);
    expect(await ask(world.calm, "node-2", 1, "red")).not.toBeInstanceOf(Rejection);
  });

  it("limits the role that claims", async () => {
    const role = "arn:aws:iam::123456789012:role/ci";
    const world = await withQuota({ principal: role, blocks: 1 }, STRICT);
    await ask(world.calm, "node-1");
    expect(await ask(world.calm, "node-2")).toMatchObject({ code: "quota_exceeded" });
  });

  it("counts each block whose claim arrives twice", async () => {
    const world = await withQuota({ blocks: 8 }, STRICT);
    await ask(contextOver(deliveringTwice(world, "create-block"), world.clock, 2), "node-1", 4);
    expect(blocksIn(world)).toHaveLength(2);
    expect(budgetIn(world)?.used).toBe(2);
  });

  it("counts each block whose seizure arrives twice, for the caller that seized it", async () => {
    const world = await withQuota({ tenant: "red", blocks: 8 }, STRICT);
    await releaseAll(world.calm, (await ask(world.calm, "node-1", 4)) as Assignment);
    await reclaimAll(world.calm);
    world.clock.nowMs += 3_600_000;
    for (let n = 0; n < 14; n++) await ask(world.calm, `other-${n}`, 1, "blue");
    const twice = contextOver(deliveringTwice(world, "seize"), world.clock, 2);
    expect(await ask(twice, "late", 4)).not.toBeInstanceOf(Rejection);
    expect(blocksIn(world).filter(({ host }) => host === "host:late")).toHaveLength(2);
    expect(budgetIn(world)?.used).toBe(2);
  });

  it("counts a seized block for the caller that seized it", async () => {
    const world = await withQuota({ tenant: "red", blocks: 1 }, STRICT);
    await releaseAll(world.calm, (await ask(world.calm, "node-1")) as Assignment);
    await reclaimAll(world.calm);
    world.clock.nowMs += 3_600_000;
    for (let n = 0; n < 16; n++) await ask(world.calm, `other-${n}`, 1, "blue");
    expect(blocksIn(world).every(({ charge }) => charge === undefined)).toBe(true);
    expect(budgetIn(world)?.used).toBe(0);
  });

  it("counts a disowned block until it is gone", async () => {
    const world = await withQuota({ blocks: 1 }, STRICT);
    const assigned = (await ask(world.calm, "node-1")) as Assignment;
    await releaseAffinities(world.calm, {
      ...{ space: SPACE, host: "host:node-1", mustBeEmpty: false },
    });
    expect(blocksIn(world)).toMatchObject([{ charge: { charges: [{ of: "blocks" }] } }]);
    expect(await ask(world.calm, "node-2")).toMatchObject({ code: "quota_exceeded" });
    await releaseAll(world.calm, assigned);
    await reclaim(world);
    expect(await roomIn(world)).toBe(1);
  });

  it("limits a claim of a range, block by block", async () => {
    const world = await withQuota({ blocks: 2 });
    const range = { space: SPACE, host: "host:node-1" as HostId, cidr: cidrOf("10.0.0.0/29") };
    const claimed = await claimAffinities(world.calm, range);
    const statuses = ["claimed", "claimed", "quota_exceeded", "quota_exceeded"];
    expect(claimed).toMatchObject({ blocks: statuses.map((status) => ({ status })) });
    expect(await claimAffinities(world.calm, range)).toEqual(claimed);
    expect(blocksIn(world)).toHaveLength(2);
  });

  it("limits a block that a host asks for without an address", async () => {
    const world = await withQuota({ blocks: 1 });
    const asked = { space: SPACE, families: [4], pools: [] } as const;
    expect(await ensureBlocks(world.calm, { ...asked, host: "host:node-1" })).toHaveLength(1);
    expect(await ensureBlocks(world.calm, { ...asked, host: "host:node-1" })).toHaveLength(1);
    expect(await ensureBlocks(world.calm, { ...asked, host: "host:node-2" })).toMatchObject({
      code: "quota_exceeded",
    });
  });

  it("limits a specific address in a block that is to be claimed", async () => {
    const world = await withQuota({ blocks: 1 });
    await ask(world.calm, "node-1");
    const used = blocksIn(world)[0]?.cidr;
    const address = addressOf(used?.base === cidrOf("10.0.0.0/31").base ? "10.0.0.9" : "10.0.0.0");
    const request = {
      ...requestOf("specific", 1),
      host: "host:node-2" as HostId,
      addresses: [address],
    };
    expect(await assign(world.calm, request)).toMatchObject({ code: "quota_exceeded" });
    expect(blocksIn(world)).toHaveLength(1);
  });

  it("counts nothing for a host that finds no block", async () => {
    const world = await withQuota({ blocks: 100 });
    for (let n = 0; n < 16; n++) await ask(world.calm, `node-${n}`, 2);
    for (let n = 0; n < 3; n++)
      expect(await ask(world.calm, `late-${n}`)).toMatchObject({ code: "pool_exhausted" });
    await daysPass(world, 3);
    expect(budgetIn(world)?.used).toBe(16);
  });

  it("of a space counts the blocks from before it after a walk of the repair run", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/27", 31), { cooldownSeconds: 0, ...STRICT });
    for (let n = 0; n < 3; n++) await ask(world.calm, `node-${n}`);
    await putQuota(world.calm, SPACE, "all", { blocks: 5 }, undefined);
    await daysPass(world, 2);
    expect(budgetIn(world)).toMatchObject({ of: "blocks", used: 3 });
    expect(await roomIn(world)).toBe(2);
  });

  it("is never exceeded, whatever functions do and whichever crash, and has all its room in the end", async () => {
    const anyStep = fc.record({
      by: fc.nat(3),
      act: fc.constantFrom("assign", "assign", "assign", "release", "crash", "reclaim", "repair"),
      host: fc.nat(9),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(anyStep, { minLength: 5, maxLength: 60 }),
        async (limit, steps) => {
          const world = await withQuota({ blocks: limit }, STRICT);
          const functions = [1, 2, 3, 4].map((seed) => contextOver(world.table, world.clock, seed));
          const held: Assignment[] = [];
          for (const [n, { by, act, host }] of steps.entries()) {
            const context = functions[by] as Context;
            if (act === "assign") {
              const assigned = await ask(context, `node-${host}`);
              if (!(assigned instanceof Rejection)) held.push(assigned);
            } else if (act === "release") {
              const [one] = held.splice(by, 1);
              if (one) await releaseAll(context, one);
            } else if (act === "crash")
              functions[by] = contextOver(world.table, world.clock, n + 9);
            else if (act === "reclaim") await reclaim(world);
            else await daysPass(world, 1);
            expect(blocksIn(world).length).toBeLessThanOrEqual(limit);
            expect(budgetIn(world)?.used ?? 0).toBeGreaterThanOrEqual(blocksIn(world).length);
          }
          await daysPass(world, 3);
          await reclaim(world);
          await daysPass(world, 3);
          const room = limit - blocksIn(world).length;
          expect(await roomIn(world)).toBe(room);
        },
      ),
      { numRuns: fewerRuns(1 / 4), seed: 3 },
    );
  });
});
