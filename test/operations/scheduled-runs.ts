import { assign } from "../../src/kernel/assign/assign.ts";
import { putPool, putSettings } from "../../src/nouns/pool/operations/administration.ts";
import { putNode } from "../../src/nouns/registry/operations/nodes.ts";
import { SETTINGS_DEFAULT } from "../../src/nouns/settings/settings.ts";
import { reclaimAll, reclaimSpaces, repairAll } from "../scheduled-runs.ts";
import { withMishap } from "../simulation/crash-points.ts";
import {
  assigned,
  contextOver,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  type World,
} from "../world.ts";
import { keyed, twoInterfaces } from "./keyed-assigns.ts";
import { AUTHOR_MS, BY_A_RUN, DAY_MS, GRACE_MS, type Operation, withOld } from "./operation.ts";
import { BESIDE, firstPool } from "./pools.ts";
import { beginsAnew, cutOffAssign, releasedAgo } from "./releases.ts";

/** Runs of reclaim and repair, by what they find. */
export const SCHEDULED_RUNS: readonly Operation[] = [
  {
    name: "reclaim that sees an empty block for the first time",
    step: "mark-idle",
    prepare: withEmptyBlock,
    walk: (context) => reclaimSpaces(context, [SPACE]),
    again: BY_A_RUN,
  },
  {
    name: "reclaim of an empty block beside one in use",
    step: "delete-block",
    prepare: async (world) => {
      const told = await withEmptyBlock(world);
      await reclaimAll(world.calm);
      world.clock.nowMs += 100_000;
      return told;
    },
    walk: (context) => reclaimSpaces(context, [SPACE]),
    again: BY_A_RUN,
    late: [
      {
        step: "delete-block",
        rejectedBy: "delete-rev",
        why: "another run of reclaim deleted the block",
      },
    ],
  },
  {
    name: "reclaim that goes on where another run stopped",
    step: "keep-position",
    prepare: async ({ calm }) => {
      const told = { old: await assigned(calm, requestOf("old", 2)) };
      await calm.store.keepPosition(SPACE, { pool: "pool", group: 0n });
      return told;
    },
    walk: (context) => reclaimSpaces(context, [SPACE]),
    again: BY_A_RUN,
  },
  {
    name: "reclaim of a full pool beside another, which no request has called full",
    step: "pool-full",
    prepare: async ({ calm }) => {
      const told = { old: await assigned(calm, requestOf("old", 8)) };
      await putPool(calm, SPACE, "second", poolOf("10.9.0.0/29", 31), undefined);
      return told;
    },
    walk: (context) => reclaimSpaces(context, [SPACE]),
    again: BY_A_RUN,
  },
  {
    name: "reclaim of a space without pools",
    step: "drop-space",
    prepare: async ({ calm }) => {
      await putSettings(calm, BESIDE, SETTINGS_DEFAULT, undefined);
      return {};
    },
    walk: (context) => reclaimSpaces(context, [BESIDE]),
    kept: [],
    again: firstPool,
  },
  {
    name: "repair of what a crash left",
    step: "repair-fence",
    prepare: async (world) => {
      const told = await withOld(world);
      await withMishap(world.table, 4, "killed after the call", (table) =>
        assign(contextOver(table, world.clock, 5), keyed(1)),
      );
      world.clock.nowMs += 100_000;
      return told;
    },
    walk: repairAll,
    again: BY_A_RUN,
    late: [
      {
        step: "repair",
        rejectedBy: "repair-rev",
        why: "another run of repair deleted the allocation",
      },
    ],
  },
  {
    name: "repair of a keyed request that was cut off",
    step: "repair",
    prepare: cutOffAssign("take-slots", keyed(1)),
    walk: repairAll,
    again: "the same",
    meets: [{ with: "the same request", walk: (context) => assign(context, keyed(1)) }],
  },
  {
    name: "repair of a keyed request over several blocks that was cut off",
    step: "repair-aborted",
    prepare: cutOffAssign("pending-live", keyed(3)),
    walk: repairAll,
    again: "the same",
    meets: [
      { with: "the same request", walk: (context) => assign(context, keyed(3)), waitMs: AUTHOR_MS },
    ],
  },
  {
    name: "repair of a keyed assign of two interfaces that was cut off",
    step: "repair-aborted",
    prepare: cutOffAssign("pending-live", twoInterfaces),
    walk: repairAll,
    again: "the same",
    meets: [
      {
        with: "the same request",
        walk: (context) => assign(context, twoInterfaces),
        waitMs: AUTHOR_MS,
      },
    ],
  },
  {
    name: "repair of a key that was released",
    step: "settle-kept",
    prepare: releasedAgo(GRACE_MS),
    walk: repairAll,
    again: "the same",
    meets: [{ with: "the same request, days later", walk: beginsAnew }],
  },
  {
    name: "repair of a key that was released a day ago",
    step: "repair-released",
    prepare: releasedAgo(DAY_MS + GRACE_MS),
    walk: repairAll,
    again: "the same",
    meets: [{ with: "the same request, days later", walk: beginsAnew }],
  },
  {
    name: "repair of a borrowed block that nobody needs",
    step: "borrowed-drop",
    prepare: async (world) => {
      const told = { old: await assigned(world.calm, requestOf("old", 7)) };
      const guest = { ...requestOf("guest", 1), host: "host:node-2" } as const;
      await releaseAll(world.calm, await assigned(world.calm, guest));
      world.clock.nowMs += 100_000;
      return told;
    },
    walk: repairAll,
    again: BY_A_RUN,
  },
  {
    name: "repair of entries and nodes that have lost each other",
    step: "repair-entry",
    prepare: async ({ calm, clock }) => {
      const { store } = calm;
      await store.enterNode({ space: SPACE, name: "gone", id: "gone", atMs: clock.nowMs });
      await putNode(calm, SPACE, "node-2", { labels: {} }, undefined);
      const node = await store.readNode(SPACE, "node-2");
      if (node) await store.deleteNodeEntry("leave-node", node);
      clock.nowMs += 100_000;
      return { old: await assigned(calm, requestOf("old", 1)) };
    },
    walk: repairAll,
    again: BY_A_RUN,
  },
];

/** Prepares an empty block that is past its minimum age, beside one in use. */
async function withEmptyBlock({ calm, clock }: World) {
  const old = await assigned(calm, requestOf("old", 2));
  await releaseAll(calm, await assigned(calm, requestOf("gone", 2)));
  clock.nowMs += 100_000;
  return { old };
}
