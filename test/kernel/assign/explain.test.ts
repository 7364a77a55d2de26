import { describe, expect, it } from "vitest";
import { UnavailableError } from "../../../src/base/outcome.ts";
import { explain } from "../../../src/kernel/assign/explain.ts";
import { withCalls } from "../../../src/kernel/core/store.ts";
import { dryRunTable } from "../../../src/table/dry-run-table.ts";
import {
  assigned,
  contextOver,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  scheduledRuns,
  type World,
} from "../../world.ts";

const dryRunContext = ({ table, clock }: World, seed = 1) =>
  contextOver(dryRunTable(table), clock, seed);

describe("a dry run", () => {
  it("says when a host would seize the empty block of another", async () => {
    const settings = { blockMinAgeSeconds: 60 };
    const world = await makeWorld(poolOf("10.0.0.0/31", 31), settings);
    const told = await assigned(world.calm, { ...requestOf("old", 2), host: "host:old" });
    await releaseAll(world.calm, told);
    // The first scheduled run marks the block as idle; a second one would delete it.
    await scheduledRuns(world, 1);
    const items = world.table.items();
    const { families } = await explain(() => dryRunContext(world), requestOf("new", 1));
    expect(families).toMatchObject([{ blocks: [{ action: "seize", block: "10.0.0.0/31" }] }]);
    expect(world.table.items()).toEqual(items);
  });

  it("promises what a function that remembers nothing then does, block by block", async () => {
    const world = await makeWorld();
    for (const [seed, count] of [1, 2, 3, 2].entries()) {
      const request = requestOf(`h-${seed}`, count);
      const { families } = await explain(() => dryRunContext(world, seed), request);
      // The same seed chooses the same blocks.
      const { addresses } = await assigned(contextOver(world.table, world.clock, seed), request);
      const blocks = new Map<string, number>();
      for (const { block } of addresses) blocks.set(block, 1 + (blocks.get(block) ?? 0));
      expect(
        families.flatMap(({ blocks }) => blocks.map(({ block, count }) => [block, count])),
      ).toEqual([...blocks]);
    }
  });

  it("does not tell of a handle to free when the database stops answering", async () => {
    const world = await makeWorld();
    const silent = () => {
      const context = dryRunContext(world);
      const readHost = () => Promise.reject(new UnavailableError("no answer"));
      return { ...context, store: withCalls(context.store, { readHost }) };
    };
    const error = await explain(silent, requestOf("h", 1)).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).not.toHaveProperty("handle");
  });
});
