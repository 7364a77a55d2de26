import { ContentionError } from "../../src/base/outcome.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { withCalls } from "../../src/kernel/core/store.ts";
import { releaseAddresses } from "../../src/kernel/release/release-addresses.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { releaseHost } from "../../src/kernel/release/release-host.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { formatCidr } from "../../src/net/cidr.ts";
import {
  addressOf,
  assigned,
  contextOver,
  releaseAll,
  reportAll,
  requestOf,
  SPACE,
  scheduledRuns,
  type World,
} from "../world.ts";
import { manyFull } from "./assigns.ts";
import { cutOffBefore } from "./cut-off.ts";
import { keyed } from "./keyed-assigns.ts";
import { AUTHOR_MS, DAY_MS, GRACE_MS, type Operation, type Told, withOld } from "./operation.ts";

/** Assigns an address that must stay, and those that an operation releases. */
const withGone =
  (count: number, key?: string) =>
  async ({ calm }: World): Promise<Told> => ({
    old: await assigned(calm, requestOf("old", 1)),
    gone: await assigned(calm, requestOf("gone", count, key)),
  });

/** Releases by address, by handle and by host. */
export const RELEASES: readonly Operation[] = [
  {
    name: "release by address",
    step: "release-allocation",
    prepare: withGone(1),
    walk: (context, { gone }) => releaseAll(context, gone),
    again: "the same",
    late: [
      {
        step: "free-slots",
        why: "until its slot is free the address is the caller's, and nobody else may end it",
      },
    ],
  },
  {
    name: "release by address from a block that is called full",
    step: "full-freed",
    prepare: async ({ calm, table, clock }) => {
      const gone = await manyFull(calm);
      const old = await assigned(contextOver(table, clock, 3), requestOf("more", 1));
      return { gone, old };
    },
    walk: (context, { gone }) =>
      releaseAll(context, gone && { ...gone, addresses: gone.addresses.slice(0, 1) }),
    again: (context, { gone }) => releaseAll(context, gone),
  },
  {
    name: "release of several addresses of a handle",
    step: "mark-freed",
    prepare: async ({ calm }) => ({ gone: await assigned(calm, keyedPair) }),
    walk: (context, { gone }) =>
      releaseAddresses(
        context,
        SPACE,
        (gone?.addresses ?? []).map(({ address }) => ({
          address: addressOf(address),
          handle: gone?.handle ?? "",
        })),
      ),
    kept: [],
    again: (context, { gone }) => releaseAll(context, gone),
  },
  {
    name: "release by address of a keyed request",
    step: "mark-freed",
    prepare: goneOf(keyed(1)),
    walk: (context, { gone }) => releaseAll(context, gone),
    again: "the same",
    meets: [
      {
        with: "a conflict of the same address",
        walk: (context, { gone }) => reportAll(context, gone),
      },
    ],
  },
  {
    name: "release by address that comes again",
    step: "mark-freed",
    prepare: releasedAgo(0),
    walk: (context, { gone }) => releaseAll(context, gone),
    again: "the same",
    meets: [{ with: "the same request, days later", walk: beginsAnew }],
  },
  {
    name: "release by address of a keyed request of two",
    step: "mark-freed",
    prepare: async ({ calm }) => ({ gone: await assigned(calm, keyedPair) }),
    walk: (context, { gone }) => releaseAll(context, gone),
    kept: [],
    again: "the same",
    late: [
      {
        step: "free-slots",
        rejectedBy: "free-tag",
        why: "the allocation was marked, and the repair run finished what it said",
      },
    ],
  },
  {
    name: "release by address of what several blocks hold",
    step: "mark-due",
    prepare: withGone(5),
    walk: (context, { gone }) => releaseAll(context, gone),
    again: "the same",
  },
  {
    name: "release by handle",
    step: "end-whole",
    prepare: withGone(2),
    walk: (context) => releaseHandle(context, SPACE, "gone"),
    again: "the same",
  },
  {
    name: "release by handle of a keyed request",
    step: "end",
    prepare: async ({ calm }) => ({ keyed: await assigned(calm, keyedPair) }),
    walk: (context) => releaseHandle(context, SPACE, "keyed"),
    kept: [],
    again: "the same",
    late: [
      {
        step: "free-slots",
        rejectedBy: "free-tag",
        why: "the allocation was marked, and the repair run finished what it said",
      },
    ],
  },
  {
    name: "release by handle of a keyed request, for the second time",
    step: "settle-kept",
    prepare: async ({ calm }) => {
      const keyed = await assigned(calm, keyedPair);
      await releaseHandle(calm, SPACE, "keyed");
      return { keyed };
    },
    walk: (context) => releaseHandle(context, SPACE, "keyed"),
    kept: [],
    again: "the same",
  },
  {
    name: "release by handle of a keyed request, one block of which rejects",
    step: "settle-kept",
    prepare: async ({ calm }) => ({ keyed: await assigned(calm, requestOf("keyed", 4, "parts")) }),
    walk: (context, { keyed }) =>
      releaseHandle(rejecting(context, keyed?.addresses[0]?.block), SPACE, "keyed"),
    kept: [],
    again: (context) => releaseHandle(context, SPACE, "keyed"),
  },
  {
    name: "release by handle of what several blocks hold",
    step: "end-whole",
    prepare: withGone(5),
    walk: (context) => releaseHandle(context, SPACE, "gone"),
    again: "the same",
  },
  {
    name: "release by handle of what several blocks hold under a key",
    step: "end",
    prepare: withGone(5, "once"),
    walk: (context) => releaseHandle(context, SPACE, "gone"),
    again: "the same",
  },
  {
    name: "release by handle of a keyed request that was cut off",
    step: "end",
    prepare: cutOffAssign("take-slots", keyed(1)),
    walk: (context) => releaseHandle(context, SPACE, "keyed"),
    again: "the same",
    meets: [
      { with: "the same request", walk: (context) => assign(context, keyed(1)), givesBack: true },
    ],
  },
  {
    name: "release by handle of a keyed request over several blocks that was cut off",
    step: "end",
    prepare: cutOffAssign("pending-live", keyed(3)),
    walk: (context) => releaseHandle(context, SPACE, "keyed"),
    again: "the same",
    meets: [
      {
        with: "the same request",
        walk: (context) => assign(context, keyed(3)),
        waitMs: AUTHOR_MS,
        givesBack: true,
      },
    ],
  },
  {
    name: "release by host",
    step: "end-whole",
    prepare: hostWithAddresses,
    walk: (context) => releaseHost(context, SPACE, "host:node-3"),
    kept: ["old", "guest"],
    again: "the same",
  },
];

/** Assigns what the operation ends. */
export function goneOf(request: AssignRequest) {
  return async (world: World): Promise<Told> => ({
    ...(await withOld(world)),
    gone: await assigned(world.calm, request),
  });
}

/** Assigns under a key, and releases that some time before the operation. */
export function releasedAgo(waitMs: number) {
  return async (world: World): Promise<Told> => {
    const told = await goneOf(keyed(1))(world);
    await releaseAll(world.calm, told.gone);
    world.clock.nowMs += waitMs;
    return told;
  };
}

/** Cuts a request off before this write, long enough before the operation. */
export function cutOffAssign(step: string, request: AssignRequest) {
  return async (world: World): Promise<Told> => {
    const told = await withOld(world);
    await cutOffBefore(world, step, (context) => assign(context, request));
    world.clock.nowMs += GRACE_MS;
    return told;
  };
}

/** Lets days pass with their scheduled runs, and uses the key again. */
export async function beginsAnew(context: Context, _: Told, world: World) {
  await scheduledRuns(world, 2, DAY_MS);
  return assign(context, keyed(1));
}

/** Returns a request of a host for a specific address. */
export function at(handle: string, host: HostId, address: string, key?: string): AssignRequest {
  return { ...requestOf(handle, 1, key), host, addresses: [addressOf(address)] };
}

const keyedPair = requestOf("keyed", 2, "twice");

/** Returns a context that cannot free any slot of one block. */
const rejecting = (context: Context, hot: string | undefined): Context => ({
  ...context,
  store: withCalls(context.store, {
    freeSlots: async (block, ...slots) => {
      if (formatCidr(block.cidr) === hot) throw new ContentionError("the block rejects");
      return context.store.freeSlots(block, ...slots);
    },
  }),
});

/**
 * Prepares a host with addresses in its own blocks and in another host's. Another host has borrowed
 * from one of its blocks.
 */
async function hostWithAddresses({ calm }: World) {
  const old = await assigned(calm, at("old", "host:node-1", "10.0.0.0"));
  await assigned(calm, at("far", "host:node-3", "10.0.0.1", "once"));
  await assigned(calm, at("gone", "host:node-3", "10.0.0.2"));
  const guest = await assigned(calm, at("guest", "host:node-2", "10.0.0.3"));
  await assigned(calm, { ...requestOf("head", 3), host: "host:node-3" });
  return { old, guest };
}
