import { assign } from "../../src/kernel/assign/assign.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { liftQuarantine } from "../../src/nouns/address/operations/lift-quarantine.ts";
import { repairAll } from "../scheduled-runs.ts";
import { addressOf, assigned, releaseAll, reportAll, requestOf, SPACE } from "../world.ts";
import { cutOffBefore } from "./cut-off.ts";
import { keyed } from "./keyed-assigns.ts";
import { AUTHOR_MS, GRACE_MS, HOUR_MS, type Operation, type Told } from "./operation.ts";
import { goneOf, releasedAgo } from "./releases.ts";

/** Conflicts of addresses, and the end of their quarantine. */
export const CONFLICTS: readonly Operation[] = [
  {
    name: "conflict of an address",
    step: "release-allocation",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      gone: await assigned(calm, requestOf("gone", 1)),
    }),
    walk: (context, { gone }) => reportAll(context, gone),
    again: "the same",
    meets: [
      {
        with: "a release of the same address",
        walk: (context, { gone }) => releaseAll(context, gone),
      },
    ],
  },
  {
    name: "conflict of the address of a keyed request",
    step: "mark-freed",
    prepare: goneOf(keyed(1)),
    walk: (context, { gone }) => reportAll(context, gone),
    again: "the same",
    meets: [
      {
        with: "a release of the same address",
        walk: (context, { gone }) => releaseAll(context, gone),
      },
    ],
  },
  {
    name: "conflict of one address of a keyed request of two",
    step: "mark-freed",
    prepare: async ({ calm }) => ({ gone: await assigned(calm, keyedPair) }),
    walk: (context, { gone }) =>
      reportAll(context, gone && { ...gone, addresses: gone.addresses.slice(0, 1) }),
    kept: [],
    again: (context, { gone }) => reportAll(context, gone),
    late: [
      {
        step: "free-slots",
        rejectedBy: "free-tag",
        why: "the allocation was marked, and the repair run left the slot in quarantine",
      },
    ],
  },
  {
    name: "conflict of what several blocks hold",
    step: "mark-due",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      gone: await assigned(calm, requestOf("gone", 5)),
    }),
    walk: (context, { gone }) => reportAll(context, gone),
    again: "the same",
  },
  {
    name: "conflict of an address that was released before",
    step: "quarantine",
    prepare: async ({ calm }) => {
      const gone = await assigned(calm, requestOf("gone", 1));
      await releaseAll(calm, gone);
      return { old: await assigned(calm, requestOf("old", 1)), gone };
    },
    walk: (context, { gone }) => reportAll(context, gone),
    again: "the same",
    meets: [
      {
        with: "an assign of all there is",
        walk: assignAll,
        prepare: releasedAgo(0),
        waitMs: AUTHOR_MS,
      },
    ],
  },
  {
    name: "conflict that comes again",
    step: "mark-freed",
    prepare: async ({ calm }) => {
      const gone = await assigned(calm, keyed(1));
      await reportAll(calm, gone);
      return { gone };
    },
    walk: (context, { gone }) => reportAll(context, gone),
    kept: [],
    again: "the same",
  },
  {
    name: "repair of a conflict that was cut off",
    step: "free-slots",
    prepare: async (world) => {
      const gone = await assigned(world.calm, keyed(1));
      await cutOffBefore(world, "free-slots", (context) => reportAll(context, gone));
      world.clock.nowMs += GRACE_MS;
      return { old: await assigned(world.calm, requestOf("old", 1)), gone };
    },
    walk: (context) => repairAll(context),
    again: (context, { gone }) => reportAll(context, gone),
  },
  {
    name: "lift of a quarantine",
    step: "lift",
    prepare: async ({ calm }) => {
      const gone = await assigned(calm, requestOf("gone", 1));
      await reportAll(calm, gone);
      return { old: await assigned(calm, requestOf("old", 1)), gone };
    },
    walk: (context, { gone }) => liftAll(context, gone),
    again: "the same",
    meets: [{ with: "an assign of all there is", walk: assignAll, waitMs: 2 * HOUR_MS }],
  },
];

const keyedPair = requestOf("keyed", 2, "twice");

async function assignAll(context: Context) {
  return assign(context, { ...requestOf("all", 7), allowPartial: true });
}

/** Ends the quarantine of every address of an answer. */
async function liftAll(context: Context, told: Told[string] | undefined): Promise<void> {
  for (const { address } of told?.addresses ?? [])
    await liftQuarantine(context, SPACE, addressOf(address));
}
