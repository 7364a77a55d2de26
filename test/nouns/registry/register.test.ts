import { describe, expect, it } from "vitest";
import { Rejection } from "../../../src/base/outcome.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { deleteNode, listNodes, putNode } from "../../../src/nouns/registry/operations/nodes.ts";
import { beforeEachCall } from "../../each-call.ts";
import { repairAll } from "../../scheduled-runs.ts";
import { makeWorld, SPACE, type World } from "../../world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The slow operations on an entry of the register. An operator registers the node anew meanwhile. */
const SLOW: readonly {
  readonly name: string;
  prepare(world: World): Promise<void>;
  walk(context: Context): Promise<unknown>;
}[] = [
  {
    name: "its deletion",
    prepare: async ({ calm }) => {
      await putNode(calm, SPACE, "n1", { labels: { zone: "old" } }, undefined);
    },
    walk: async (context) => {
      const seen = await context.store.readNode(SPACE, "n1");
      return seen && deleteNode(context, SPACE, "n1", seen.revision);
    },
  },
  {
    name: "the repair run, over the entry of one that was never created",
    prepare: async ({ calm, clock }) => {
      await calm.store.enterNode({ space: SPACE, name: "n1", id: "cut off", atMs: clock.nowMs });
      clock.nowMs += DAY_MS;
    },
    walk: (context) => repairAll(context),
  },
];

describe("a node that is registered anew is listed at once, whenever that comes into", () => {
  it.each(SLOW.map((slow, number) => [slow.name, { ...slow, number }] as const))(
    "%s",
    async (_, { prepare, walk, number }) => {
      let made = 0;
      await beforeEachCall(
        async () => {
          const world = await makeWorld();
          await prepare(world);
          return world;
        },
        walk,
        (context) => putNode(context, SPACE, "n1", { labels: { zone: "new" } }, undefined),
        async ({ calm }, { theirs, where }) => {
          if (!(theirs instanceof Rejection)) made++;
          const stands = await calm.store.readNode(SPACE, "n1");
          const { items } = await listNodes(calm, { space: SPACE, limit: 9, after: undefined });
          expect(items, where).toEqual(stands ? [stands] : []);
        },
        { number, step: 3 },
      );
      expect(made).toBeGreaterThan(0);
    },
  );
});
