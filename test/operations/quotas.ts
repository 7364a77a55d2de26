import { SHARDS } from "../../src/base/limits.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { CHARGING_WALK_MS } from "../../src/kernel/values/sweep.ts";
import { BUDGET_ROUND_MS, nextRound } from "../../src/nouns/quota/budget.ts";
import { putQuota } from "../../src/nouns/quota/operations/quotas.ts";
import { instanceRequest, podOf, releaseOf } from "../instances.ts";
import { reclaimAll, repairAll } from "../scheduled-runs.ts";
import {
  assigned,
  contentsIn,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
  type World,
} from "../world.ts";
import { type Operation, UNKEYED } from "./operation.ts";

/** Sets a quota of addresses. */
const limit = ({ calm }: World, addresses: number) =>
  putQuota(calm, SPACE, "all", { addresses }, undefined);

/** Begins another round of the budget, so that what is held is charged to the round before. */
async function turn({ calm, clock, table }: World): Promise<void> {
  const [budget] = contentsIn({ calm, clock, table }).budgets;
  if (!budget) throw new Error("there is no budget");
  await calm.store.turnBudget(budget, nextRound(budget, "second", clock.nowMs));
}

/** Sets a quota of blocks. */
const limitBlocks = ({ calm }: World, blocks: number) =>
  putQuota(calm, SPACE, "all", { blocks }, undefined);

const ofTenant = (tenant: string) => ({ attributes: { tenant } });

const ofHost = (host: HostId, handle: string) => ({ ...requestOf(handle, 1), host });

/** The operations under quotas of addresses, of requests and of blocks. */
export const QUOTAS: readonly Operation[] = [
  {
    name: "the first request a second of a quota",
    step: "begin-second",
    prepare: async ({ calm }) => {
      await putQuota(calm, SPACE, "all", { requestsPerSecond: 5 }, undefined);
      return {};
    },
    walk: (context) => assign(context, requestOf("new", 1)),
    kept: [],
    again: UNKEYED,
  },
  {
    name: "assign of two under a quota",
    step: "take-budget",
    prepare: async (world) => {
      await limit(world, 5);
      return { old: await assigned(world.calm, requestOf("old", 1)) };
    },
    walk: (context) => assign(context, requestOf("new", 2)),
    again: (context) => assign(context, requestOf("newer", 2)),
  },
  {
    name: "the first assign under a quota",
    step: "begin-budget",
    prepare: async (world) => {
      await limit(world, 5);
      return {};
    },
    walk: (context) => assign(context, requestOf("new", 1, "once")),
    kept: [],
    again: "the same answer",
  },
  {
    name: "an instance that returns for another tenant, each with a quota",
    step: "instance-return",
    prepare: async ({ calm }) => {
      for (const tenant of ["red", "blue"])
        await putQuota(calm, SPACE, tenant, { tenant, addresses: 5 }, undefined);
      const db = await assigned(calm, instanceRequest(podOf("a"), ofTenant("red")));
      await releaseOf(calm, podOf("a"), true);
      return { db };
    },
    walk: (context) => assign(context, instanceRequest(podOf("b"), ofTenant("blue"))),
    kept: ["db"],
    again: "the same answer",
    meets: [
      {
        with: "its return for the first tenant",
        walk: (context) => assign(context, instanceRequest(podOf("c"), ofTenant("red"))),
        ends: ["b", "c"],
      },
    ],
  },
  {
    name: "release by address under a quota",
    step: "give-back",
    prepare: async (world) => {
      await limit(world, 2);
      return {
        old: await assigned(world.calm, requestOf("old", 1)),
        gone: await assigned(world.calm, requestOf("gone", 1)),
      };
    },
    walk: (context, { gone }) => releaseAll(context, gone),
    again: "the same",
  },
  {
    name: "release by handle of what is charged to the round before",
    step: "give-back-old",
    prepare: async (world) => {
      await limit(world, 3);
      const told = {
        old: await assigned(world.calm, requestOf("old", 1)),
        gone: await assigned(world.calm, requestOf("gone", 2)),
      };
      await turn(world);
      return told;
    },
    walk: (context) => releaseHandle(context, SPACE, "gone"),
    again: "the same",
  },
  {
    name: "repair of what is charged to the round before",
    step: "move-charge",
    prepare: async (world) => {
      await limit(world, 3);
      const old = await assigned(world.calm, requestOf("old", 2));
      await turn(world);
      world.clock.nowMs += 120_000;
      return { old };
    },
    walk: (context) => repairAll(context),
    again: "the same",
  },
  {
    name: "repair of what was assigned before its quota",
    step: "add-charge",
    prepare: async (world) => {
      const old = await assigned(world.calm, requestOf("old", 2));
      await limit(world, 3);
      for (let shard = 0; shard < SHARDS; shard++)
        await world.calm.store.writeProgress(shard, { chargedFromMs: world.clock.nowMs });
      world.clock.nowMs += CHARGING_WALK_MS;
      return { old };
    },
    walk: (context) => repairAll(context),
    again: "the same",
  },
  {
    name: "the end of a round of a budget",
    step: "turn-budget",
    prepare: async (world) => {
      await limit(world, 3);
      const old = await assigned(world.calm, requestOf("old", 2));
      world.clock.nowMs += BUDGET_ROUND_MS + 1;
      for (let shard = 0; shard < SHARDS; shard++)
        await world.calm.store.writeProgress(shard, { chargedFromMs: world.clock.nowMs });
      return { old };
    },
    walk: (context) => repairAll(context),
    again: "the same",
  },
  {
    name: "assign that claims a block under a quota",
    step: "create-block",
    prepare: async (world) => {
      await limitBlocks(world, 2);
      return { old: await assigned(world.calm, requestOf("old", 1)) };
    },
    walk: (context) => assign(context, ofHost("host:node-2", "new")),
    again: (context) => assign(context, ofHost("host:node-2", "newer")),
  },
  {
    name: "assign that seizes a block of another caller under a quota",
    step: "give-back",
    prepare: async (world) => {
      await limitBlocks(world, 5);
      const old = await assigned(world.calm, requestOf("old", 6));
      await releaseAll(world.calm, await assigned(world.calm, ofHost("host:node-3", "gone")));
      await scheduledRuns(world, 1);
      world.clock.nowMs += 70_000;
      return { old };
    },
    walk: (context) => assign(context, ofHost("host:node-2", "heir")),
    again: UNKEYED,
  },
  {
    name: "reclaim of a block under a quota",
    step: "delete-block",
    prepare: async (world) => {
      await limitBlocks(world, 4);
      const old = await assigned(world.calm, requestOf("old", 1));
      await releaseAll(world.calm, await assigned(world.calm, ofHost("host:node-3", "gone")));
      await scheduledRuns(world, 1);
      world.clock.nowMs += 100_000;
      return { old };
    },
    walk: (context) => reclaimAll(context),
    again: "the same",
  },
  {
    name: "repair of a block that is charged to the round before",
    step: "recharge-block",
    prepare: async (world) => {
      await limitBlocks(world, 3);
      const old = await assigned(world.calm, requestOf("old", 2));
      await turn(world);
      return { old };
    },
    walk: (context) => repairAll(context),
    again: "the same",
  },
];
