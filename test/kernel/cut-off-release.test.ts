import { describe, expect, it } from "vitest";
import { EVERY_SHARD } from "../../src/base/hash.ts";
import { GRACE_MS, RELEASED_ALLOCATION_KEPT_MS } from "../../src/base/limits.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { takenIn } from "../../src/kernel/values/block.ts";
import { repair } from "../../src/maintenance/repair/repair.ts";
import type { Table } from "../../src/table/table.ts";
import { withMishap } from "../simulation/crash-points.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  releaseAll,
  requestOf,
  tableOf,
  type World,
} from "../world.ts";

/** The number of calls at which the tests cut a release off. No release here makes more. */
const CALLS_MAX = 12;

describe("a release under a key that was cut off", () => {
  it.each([
    ["of its one address", 1, releaseEach],
    ["of two addresses, one after the other", 2, releaseEach],
    ["of the handle", 1, releaseTheHandle],
    ["of the handle of two addresses", 2, releaseTheHandle],
  ] as const)(
    "leaves nothing taken a grace period later, though nobody walks the table: %s",
    async (_, count, release) => {
      for (let at = 0; at < CALLS_MAX; at++) {
        const world = await makeWorld();
        const told = await assigned(world.calm, requestOf("pod", count, "key"));
        await withMishap(world.table, at, "killed before the call", (own) =>
          release(contextOver(own, world.clock, 2), told),
        );
        const [allocation] = contentsIn(world).allocations;
        const released =
          allocation?.state === "released" ? count : (allocation?.released.size ?? 0);
        world.clock.nowMs += GRACE_MS + 1;
        await repairDue(world);
        const taken = contentsIn(world).blocks.reduce((sum, block) => sum + takenIn(block), 0);
        expect(taken, `cut off before call ${at}`).toBe(count - released);
      }
    },
  );

  it("is finished without a word to its block where all of it was freed one by one", async () => {
    const world = await makeWorld();
    const epochs = () => contentsIn(world).blocks.map(({ epoch }) => epoch);
    await releaseAll(world.calm, await assigned(world.calm, requestOf("pod", 2, "key")));
    const before = epochs();
    world.clock.nowMs += GRACE_MS + 1;
    await repairDue(world);
    expect(contentsIn(world).allocations).toMatchObject([{ parts: [] }]);
    expect(epochs()).toEqual(before);
  });

  it("is told so to a late duplicate for a day from the release on, and costs no look until then", async () => {
    const world = await makeWorld();
    await releaseAll(world.calm, await assigned(world.calm, requestOf("pod", 1, "key")));
    const releasedAtMs = world.clock.nowMs;
    world.clock.nowMs += GRACE_MS + 1;
    await repairDue(world);
    expect(contentsIn(world).allocations).toMatchObject([
      { state: "released", parts: [], atMs: releasedAtMs },
    ]);
    world.clock.nowMs = releasedAtMs + RELEASED_ALLOCATION_KEPT_MS - 1;
    expect(await dueIn(world)).toEqual([]);
    world.clock.nowMs += 2;
    expect(await dueIn(world)).toHaveLength(1);
    await repairDue(world);
    expect(contentsIn(world).allocations).toEqual([]);
  });
});

async function releaseEach(context: Context, told: Parameters<typeof releaseAll>[1]) {
  await releaseAll(context, told);
}

async function releaseTheHandle(context: Context) {
  await releaseHandle(context, "default", "pod");
}

/** Runs the repair of every shard over a table whose scan is empty, so that it finds its work by the index alone. */
async function repairDue({ table, clock }: World): Promise<void> {
  const indexOnly: Table = { ...tableOf({ table } as World), scan: async () => ({ items: [] }) };
  for (const shard of EVERY_SHARD) await repair(contextOver(indexOnly, clock, 3), shard);
}

async function dueIn({ calm, clock }: World) {
  const page = { untilMs: clock.nowMs, limit: 10 };
  return (
    await Promise.all(EVERY_SHARD.map((shard) => calm.store.dueAllocations(shard, page)))
  ).flat();
}
