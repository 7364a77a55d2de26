import { expect } from "vitest";
import {
  deleteReservation,
  putPool,
  putReservation,
  putSettings,
} from "../../src/allocator/admin/administration.ts";
import { amendAddress } from "../../src/allocator/admin/amend-address.ts";
import { liftQuarantine } from "../../src/allocator/admin/lift-quarantine.ts";
import { deleteNamespace, putNamespace } from "../../src/allocator/admin/namespaces.ts";
import { deleteNode, putNode } from "../../src/allocator/admin/nodes.ts";
import { reserve } from "../../src/allocator/admin/reserve.ts";
import { claimAffinities } from "../../src/allocator/affinities/claim-range.ts";
import {
  releaseAffinities,
  releaseAffinity,
  releaseRange,
} from "../../src/allocator/affinities/release-range.ts";
import { assign } from "../../src/allocator/assign/assign.ts";
import type { Assignment, AssignRequest } from "../../src/allocator/assign/assignment.ts";
import { ensureBlocks } from "../../src/allocator/assign/ensure-blocks.ts";
import { disown } from "../../src/allocator/blocks/disown-block.ts";
import type { Context } from "../../src/allocator/core/context.ts";
import { deletePool, drainPool, releasePool } from "../../src/allocator/jobs/pool-jobs.ts";
import { runJobs } from "../../src/allocator/jobs/run-jobs.ts";
import { releaseAddresses } from "../../src/allocator/release/release-addresses.ts";
import { releaseHandle } from "../../src/allocator/release/release-handle.ts";
import { releaseHost } from "../../src/allocator/release/release-host.ts";
import { formatCidr, parseInterval } from "../../src/domain/cidr.ts";
import type { HostId } from "../../src/domain/host.ts";
import type { Labels } from "../../src/domain/labels.ts";
import { BLOCKS_READ_AT_ONCE } from "../../src/domain/limits.ts";
import { ContentionError } from "../../src/domain/outcome.ts";
import type { PoolSpec } from "../../src/domain/pool.ts";
import { SETTINGS_DEFAULT } from "../../src/domain/settings.ts";
import type { Table } from "../../src/store/table.ts";
import { selector } from "../domain/builders.ts";
import { instanceRequest, podOf } from "../instances.ts";
import { networkRequest } from "../network-request.ts";
import { putPrefixPools } from "../prefixes.ts";
import { reclaimAll, reclaimSpaces, repairAll, work } from "../scheduled-runs.ts";
import {
  addressOf,
  assigned,
  type Clock,
  COOLDOWN_SECONDS,
  cidrOf,
  contentsIn,
  contextOver,
  copyOf,
  interfacesRequest,
  makeWorld,
  poolOf,
  releaseAll,
  reportAll,
  requestOf,
  SPACE,
  scheduledRuns,
  type World,
} from "../world.ts";
import { APPLICATION_OPERATIONS } from "./application-operations.ts";
import { BATCH_OPERATIONS } from "./batch-operations.ts";
import { CHILD_POOL_OPERATIONS } from "./child-pool-operations.ts";
import { CILIUM_OPERATIONS } from "./cilium-operations.ts";
import { answerOf, callsOf, stoppedBefore, withMishap } from "./crash-points.ts";
import { INDEX_OPERATIONS } from "./index-operations.ts";
import { INSTANCE_OPERATIONS } from "./instance-operations.ts";
import { NODE_OPERATIONS } from "./node-operations.ts";
import { PREFIX_OPERATIONS } from "./prefix-operations.ts";
import { QUOTA_OPERATIONS } from "./quota-operations.ts";
import { RANGED_OPERATIONS } from "./ranged-operations.ts";
import { SPACE_OPERATIONS } from "./space-operations.ts";

/**
 * An operation, its preparation, and the checks of a repeat. The suites of crash points and of
 * interleavings go through this list, so every new operation belongs here.
 */
export interface Operation {
  readonly name: string;
  /** A call that the operation must make, so that it is the one in its name. */
  readonly step: string;
  prepare(world: World): Promise<Readonly<Record<string, Assignment>>>;
  walk(context: Context, told: Readonly<Record<string, Assignment>>): Promise<unknown>;
  /** The prepared handles that must keep their addresses. */
  readonly kept: readonly string[];
  /**
   * Repeats the request as its caller would, or runs another act that must succeed after the
   * operation.
   */
  again?(
    context: Context,
    told: Readonly<Record<string, Assignment>>,
    clock: Clock,
  ): Promise<unknown>;
}

export const OPERATIONS: readonly Operation[] = [
  {
    name: "assign that claims a block",
    step: "create-block",
    prepare: async () => ({}),
    walk: (context) => assign(context, requestOf("new", 2)),
    kept: [],
  },
  {
    name: "assign from an own block, cold",
    step: "take-slots",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    walk: (context) => assign(context, requestOf("new", 1)),
    kept: ["old"],
  },
  {
    name: "assign of a host that has more full blocks than are read at once",
    step: "full-note",
    prepare: async ({ calm }) => ({ old: await manyFull(calm) }),
    walk: (context) => assign(context, requestOf("new", 1)),
    kept: ["old"],
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
    kept: ["old"],
    again: (context, { gone }) => releaseAll(context, gone),
  },
  {
    name: "assign with an Idempotency-Key",
    step: "create-allocation",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    walk: (context) => assign(context, keyedRequest),
    kept: ["old"],
    again: (context) => assign(context, keyedRequest),
  },
  {
    name: "assign of a specific address",
    step: "create-block",
    prepare: async () => ({}),
    walk: (context) => assign(context, specificRequest),
    kept: [],
  },
  {
    name: "release by address",
    step: "release-allocation",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      gone: await assigned(calm, requestOf("gone", 1)),
    }),
    walk: (context, { gone }) => releaseAll(context, gone),
    kept: ["old"],
    again: (context, { gone }) => releaseAll(context, gone),
  },
  {
    name: "conflict of an address",
    step: "release-allocation",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      gone: await assigned(calm, requestOf("gone", 1)),
    }),
    walk: (context, { gone }) => reportAll(context, gone),
    kept: ["old"],
    again: (context, { gone }) => reportAll(context, gone),
  },
  {
    name: "conflict of one address of a keyed request of two",
    step: "mark-freed",
    prepare: async ({ calm }) => ({ gone: await assigned(calm, keyedPair) }),
    walk: (context, { gone }) =>
      reportAll(context, gone && { ...gone, addresses: gone.addresses.slice(0, 1) }),
    kept: [],
    again: (context, { gone }) => reportAll(context, gone),
  },
  {
    name: "conflict of what several blocks hold",
    step: "mark-due",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      gone: await assigned(calm, requestOf("gone", 5)),
    }),
    walk: (context, { gone }) => reportAll(context, gone),
    kept: ["old"],
    again: (context, { gone }) => reportAll(context, gone),
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
    kept: ["old"],
  },
  {
    name: "conflict that comes again",
    step: "mark-freed",
    prepare: async ({ calm }) => {
      const gone = await assigned(calm, keyedRequest);
      await reportAll(calm, gone);
      return { gone };
    },
    walk: (context, { gone }) => reportAll(context, gone),
    kept: [],
    again: (context, { gone }) => reportAll(context, gone),
  },
  {
    name: "repair of a conflict that was cut off",
    step: "free-slots",
    prepare: async (world) => {
      const gone = await assigned(world.calm, keyedRequest);
      const cut = stoppedBefore(world.table, (name) => name === "free-slots");
      const report = answerOf(reportAll(contextOver(cut.table, world.clock, 8), gone));
      await cut.stops;
      cut.end();
      await report;
      world.clock.nowMs += 100_000;
      return { old: await assigned(world.calm, requestOf("old", 1)), gone };
    },
    walk: (context) => repairAll(context),
    kept: ["old"],
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
    kept: ["old"],
    again: (context, { gone }) => liftAll(context, gone),
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
    name: "release by address of a keyed request of two",
    step: "mark-freed",
    prepare: async ({ calm }) => ({ gone: await assigned(calm, keyedPair) }),
    walk: (context, { gone }) => releaseAll(context, gone),
    kept: [],
    again: (context, { gone }) => releaseAll(context, gone),
  },
  {
    name: "release by handle",
    step: "end-whole",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      gone: await assigned(calm, requestOf("gone", 2)),
    }),
    walk: (context) => releaseHandle(context, SPACE, "gone"),
    kept: ["old"],
    again: (context) => releaseHandle(context, SPACE, "gone"),
  },
  {
    name: "release by handle of a keyed request",
    step: "end",
    prepare: async ({ calm }) => ({ keyed: await assigned(calm, keyedPair) }),
    walk: (context) => releaseHandle(context, SPACE, "keyed"),
    kept: [],
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
    again: (context) => releaseHandle(context, SPACE, "keyed"),
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
    name: "reclaim that sees an empty block for the first time",
    step: "mark-idle",
    prepare: async (world) => {
      const told = { old: await assigned(world.calm, requestOf("old", 2)) };
      await releaseAll(world.calm, await assigned(world.calm, requestOf("gone", 2)));
      world.clock.nowMs += 100_000;
      return told;
    },
    walk: (context) => reclaimSpaces(context, [SPACE]),
    kept: ["old"],
  },
  {
    name: "reclaim of an empty block beside one in use",
    step: "delete-block",
    prepare: async (world) => {
      const told = { old: await assigned(world.calm, requestOf("old", 2)) };
      await releaseAll(world.calm, await assigned(world.calm, requestOf("gone", 2)));
      world.clock.nowMs += 100_000;
      await reclaimAll(world.calm);
      world.clock.nowMs += 100_000;
      return told;
    },
    walk: (context) => reclaimSpaces(context, [SPACE]),
    kept: ["old"],
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
    kept: ["old"],
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
    kept: ["old"],
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
    name: "a PUT of the first pool of a space",
    step: "register-space",
    prepare: async () => ({}),
    walk: firstPool,
    kept: [],
    again: firstPool,
  },
  {
    name: "repair of what a crash left",
    step: "repair-fence",
    prepare: async (world) => {
      const told = { old: await assigned(world.calm, requestOf("old", 1)) };
      await withMishap(world.table, 4, "killed after the call", (table) =>
        assign(contextOver(table, world.clock, 5), keyedRequest),
      );
      world.clock.nowMs += 100_000;
      return told;
    },
    walk: repairAll,
    kept: ["old"],
  },
  {
    name: "assign over several blocks",
    step: "pending-live",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    walk: (context) => assign(context, requestOf("new", 5)),
    kept: ["old"],
  },
  {
    name: "assign of both families with an Idempotency-Key",
    step: "pending-live",
    prepare: async ({ calm }) => {
      await addIpv6(calm);
      return { old: await assigned(calm, requestOf("old", 1)) };
    },
    walk: (context) => assign(context, keyedBoth),
    kept: ["old"],
    again: (context) => assign(context, keyedBoth),
  },
  {
    name: "assign of two interfaces in one block",
    step: "pending-live",
    prepare: async ({ calm }) => {
      const gone = await assigned(calm, requestOf("gone", 2));
      const old = await assigned(calm, requestOf("old", 2));
      await releaseAll(calm, gone);
      return { old };
    },
    walk: (context) => assign(context, interfacesRequest("new")),
    kept: ["old"],
  },
  {
    name: "assign of two interfaces in two pools, with an Idempotency-Key",
    step: "pending-live",
    prepare: async ({ calm }) => {
      await putPool(calm, SPACE, "second", poolOf("10.9.0.0/29", 31), undefined);
      return { old: await assigned(calm, requestOf("old", 1)) };
    },
    walk: (context) => assign(context, keyedInterfaces),
    kept: ["old"],
    again: (context) => assign(context, keyedInterfaces),
  },
  {
    name: "assign that borrows",
    step: "borrowed",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 7)) }),
    walk: (context) => assign(context, { ...requestOf("guest", 1), host: "host:node-2" }),
    kept: ["old"],
  },
  {
    name: "assign from a second pool, where the first is found full",
    step: "pool-full",
    prepare: async ({ calm }) => {
      const told = { old: await assigned(calm, requestOf("old", 8)) };
      await putPool(calm, SPACE, "second", poolOf("10.9.0.0/29", 31), undefined);
      return told;
    },
    walk: (context) => assign(context, { ...requestOf("late", 1), host: "host:node-2" }),
    kept: ["old"],
  },
  {
    name: "assign that seizes an empty block",
    step: "seize",
    prepare: async (world) => {
      const told = { old: await assigned(world.calm, requestOf("old", 6)) };
      const gone = { ...requestOf("gone", 2), host: "host:node-3" } as const;
      await releaseAll(world.calm, await assigned(world.calm, gone));
      await scheduledRuns(world, 1);
      world.clock.nowMs += 70_000;
      return told;
    },
    walk: (context) => assign(context, { ...requestOf("heir", 1), host: "host:node-2" }),
    kept: ["old"],
  },
  {
    name: "a block taken from its host",
    step: "disown",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    walk: disownFirst,
    kept: ["old"],
  },
  {
    name: "an empty block taken from its host",
    step: "disown",
    prepare: async (world) => {
      await releaseAll(world.calm, await assigned(world.calm, requestOf("gone", 1)));
      await scheduledRuns(world, 1);
      world.clock.nowMs += 70_000;
      return {};
    },
    walk: disownFirst,
    kept: [],
  },
  {
    name: "release by handle of what several blocks hold",
    step: "end-whole",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      gone: await assigned(calm, requestOf("gone", 5)),
    }),
    walk: (context) => releaseHandle(context, SPACE, "gone"),
    kept: ["old"],
    again: (context) => releaseHandle(context, SPACE, "gone"),
  },
  {
    name: "release by handle of what several blocks hold under a key",
    step: "end",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      gone: await assigned(calm, requestOf("gone", 5, "once")),
    }),
    walk: (context) => releaseHandle(context, SPACE, "gone"),
    kept: ["old"],
    again: (context) => releaseHandle(context, SPACE, "gone"),
  },
  {
    name: "release by address of what several blocks hold",
    step: "mark-due",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      gone: await assigned(calm, requestOf("gone", 5)),
    }),
    walk: (context, { gone }) => releaseAll(context, gone),
    kept: ["old"],
    again: (context, { gone }) => releaseAll(context, gone),
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
    kept: ["old"],
  },
  {
    name: "assign of two under a limit",
    step: "quota-slot",
    prepare: async ({ calm }) => ({ old: await assigned(calm, limited("vm", 1, 3)) }),
    walk: (context) => assign(context, limited("vm", 2, 3)),
    kept: ["old"],
    again: (context) => assign(context, limited("vm", 2, 3)),
  },
  {
    name: "assign under a limit that is reached, with an Idempotency-Key",
    step: "create-allocation",
    prepare: async ({ calm }) => ({ old: await assigned(calm, limited("vm", 1, 1)) }),
    walk: (context) => assign(context, limited("vm", 1, 1, "once")),
    kept: ["old"],
    again: (context) => assign(context, limited("vm", 1, 1, "once")),
  },
  {
    name: "assign under a limit after a request that was cut off",
    step: "quota-slot-over",
    prepare: async (world) => {
      // The address is freed, but its quota slot is not.
      const told = await assigned(world.calm, limited("vm", 1, 1));
      const quotaSlot = contentsIn(world).quotaSlots[0];
      await releaseAll(world.calm, told);
      if (quotaSlot) await world.calm.store.putQuotaSlot(quotaSlot, undefined);
      return { old: await assigned(world.calm, requestOf("old", 1)) };
    },
    walk: (context) => assign(context, limited("vm", 1, 1)),
    kept: ["old"],
  },
  {
    name: "release by address of two under a limit",
    step: "quota-slot-drop",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      gone: await assigned(calm, limited("vm", 2, 2)),
    }),
    walk: (context, { gone }) => releaseAll(context, gone),
    kept: ["old"],
    again: (context, { gone }) => releaseAll(context, gone),
  },
  {
    name: "release by handle of two under a limit",
    step: "quota-slot-drop",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      gone: await assigned(calm, limited("vm", 2, 2)),
    }),
    walk: (context) => releaseHandle(context, SPACE, "vm"),
    kept: ["old"],
    again: (context) => releaseHandle(context, SPACE, "vm"),
  },
  {
    name: "renewal of a lease",
    step: "amend",
    prepare: async ({ calm }) => ({ vm: await assigned(calm, leased("vm", 2, 86_400)) }),
    walk: renewAll,
    kept: ["vm"],
    again: renewAll,
  },
  {
    name: "a change of owners, with the lease",
    step: "amend",
    prepare: async ({ calm }) => ({ vm: await assigned(calm, leased("vm", 2, 86_400)) }),
    walk: changeOwners,
    kept: ["vm"],
    again: changeOwners,
  },
  {
    name: "assign that claims a block of which its host keeps addresses",
    step: "create-block",
    prepare: async () => ({}),
    walk: (context) => assign(context, keeping(requestOf("new", 2))),
    kept: [],
    again: (context) => assign(context, keeping(requestOf("new", 1))),
  },
  {
    name: "assign that seizes a block of which its host kept addresses, and keeps others",
    step: "seize",
    prepare: async (world) => {
      const told = { old: await assigned(world.calm, requestOf("old", 6)) };
      const gone = { ...keeping(requestOf("gone", 1)), host: "host:node-3" } as const;
      await releaseAll(world.calm, await assigned(world.calm, gone));
      await scheduledRuns(world, 1);
      world.clock.nowMs += 70_000;
      return told;
    },
    walk: (context) =>
      assign(context, {
        ...requestOf("heir", 1),
        host: "host:node-2",
        hostReserved: { start: 0, end: 1 },
      }),
    kept: ["old"],
  },
  {
    name: "repair of what a lease has run out of",
    step: "expire",
    prepare: async (world) => {
      const told = { old: await assigned(world.calm, requestOf("old", 1)) };
      await assigned(world.calm, leased("vm", 3, 60));
      world.clock.nowMs += 100_000;
      return told;
    },
    walk: repairAll,
    kept: ["old"],
  },
  {
    name: "a new pool",
    step: "change-plan",
    prepare: async () => ({}),
    walk: (context) => putPool(context, SPACE, "second", poolOf("10.9.0.0/24", 28), undefined),
    kept: [],
    again: (context) => putPool(context, SPACE, "second", poolOf("10.9.0.0/24", 28), undefined),
  },
  {
    name: "a pool that is changed",
    step: "put-pool",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    walk: selectByLabels,
    kept: ["old"],
    again: async (context) => {
      expect(await selectByLabels(context)).toMatchObject({ created: false });
    },
  },
  {
    name: "settings that are written for the first time",
    step: "put-settings",
    prepare: async () => ({}),
    walk: (context) => settle(context, "lab"),
    kept: [],
    again: async (context) => {
      expect(await settle(context, "lab")).toMatchObject({ value: { settings: strict } });
    },
  },
  {
    name: "settings that are written over others",
    step: "put-settings",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    walk: (context) => settle(context, SPACE),
    kept: ["old"],
    again: async (context) => {
      expect(await settle(context, SPACE)).toMatchObject({ created: false });
    },
  },
  {
    name: "a new reservation",
    step: "put-reservation",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    walk: (context) => reserve(context, SPACE, "routers", routers, undefined),
    kept: ["old"],
  },
  {
    name: "a reservation that is deleted",
    step: "delete-reservation",
    prepare: async ({ calm }) => {
      await putReservation(calm, SPACE, "routers", routers, undefined);
      return { old: await assigned(calm, requestOf("old", 1)) };
    },
    walk: freeRouters,
    kept: ["old"],
    again: async (context) => {
      await freeRouters(context);
      expect((await context.store.readSpace(SPACE)).reservations).toEqual([]);
    },
  },
  {
    name: "a drain",
    step: "drain-mark",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    walk: drain,
    kept: ["old"],
    again: drain,
  },
  {
    name: "a worker in a pool that is drained",
    step: "delete-block",
    prepare: async (world) => {
      const told = { old: await assigned(world.calm, requestOf("old", 2)) };
      await releaseAll(world.calm, await assigned(world.calm, requestOf("gone", 2)));
      await drain(world.calm);
      world.clock.nowMs += 100_000;
      return told;
    },
    walk: (context) => runJobs(context),
    kept: ["old"],
    again: (context) => runJobs(context),
  },
  {
    name: "a delete of a pool that is drained",
    step: "delete-mark",
    prepare: async ({ calm }) => {
      const told = { old: await assigned(calm, requestOf("old", 1)) };
      await drain(calm);
      return told;
    },
    walk: remove,
    kept: ["old"],
    again: remove,
  },
  {
    name: "a worker that gives the range of a deleted pool back",
    step: "delete-pool",
    prepare: async ({ calm, clock }) => {
      await releaseAll(calm, await assigned(calm, requestOf("gone", 2)));
      await remove(calm);
      await work(calm, clock, 1);
      clock.nowMs += 60_000;
      return {};
    },
    walk: (context) => runJobs(context),
    kept: [],
    again: succeed,
  },
  {
    name: "a delete of a pool whose creation was cut off",
    step: "delete-pool",
    prepare: async (world) => {
      await cutOffCreation(world);
      return { old: await assigned(world.calm, requestOf("old", 1)) };
    },
    walk: removeHalf,
    kept: ["old"],
    again: async (context, _, clock) => {
      await removeHalf(context);
      await work(context, clock, 4);
      expect(await createHalf(context)).toMatchObject({ created: true });
      await assigned(context, { ...requestOf("heir", 1), pools: ["half"] });
    },
  },
  {
    name: "a worker that finds a delete of a pool whose creation was cut off",
    step: "delete-pool",
    prepare: async (world) => {
      await cutOffCreation(world);
      const { table, clock } = world;
      const walk = (own: Table) => removeHalf(contextOver(own, clock, 5));
      const dryRunContext = await makeWorld();
      await cutOffCreation(dryRunContext);
      const calls = await callsOf(dryRunContext.table, walk);
      await withMishap(table, calls.indexOf("create-job"), "killed after the call", walk);
      return {};
    },
    walk: (context) => runJobs(context),
    kept: [],
    again: async (context, _, clock) => {
      await work(context, clock, 4);
      expect(await createHalf(context)).toMatchObject({ created: true });
    },
  },
  {
    name: "an assign whose pool is deleted and has a successor with other blocks when it lands",
    step: "create-block",
    prepare: async () => ({}),
    walk: (context) => assign(context, requestOf("new", 3)),
    kept: [],
    again: async (context, _, clock) => {
      await releaseHandle(context, SPACE, "new");
      await remove(context);
      await succeed(context, {}, clock);
    },
  },
  {
    name: "a host that is registered",
    step: "create-node",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    walk: (context) => label(context, "node-1", { zone: "west" }),
    kept: ["old"],
    again: (context) => label(context, "node-1", { zone: "west" }),
  },
  {
    name: "new labels of a node",
    step: "change-node",
    prepare: async ({ calm }) => {
      await label(calm, "node-1", { zone: "west" });
      return { old: await assigned(calm, requestOf("old", 1)) };
    },
    walk: (context) => label(context, "node-1", { zone: "east" }),
    kept: ["old"],
    again: (context) => label(context, "node-1", { zone: "east" }),
  },
  {
    name: "a node that is deleted",
    step: "leave-node",
    prepare: async ({ calm }) => {
      await label(calm, "node-1", { zone: "west" });
      return { old: await assigned(calm, requestOf("old", 1)) };
    },
    walk: forget,
    kept: ["old"],
    again: forget,
  },
  {
    name: "repair of entries and nodes that have lost each other",
    step: "repair-entry",
    prepare: async ({ calm, clock }) => {
      const { store } = calm;
      await store.enterNode({ space: SPACE, name: "gone", id: "gone", atMs: clock.nowMs });
      await label(calm, "node-2", {});
      const node = await store.readNode(SPACE, "node-2");
      if (node) await store.deleteNodeEntry("leave-node", node);
      clock.nowMs += 100_000;
      return { old: await assigned(calm, requestOf("old", 1)) };
    },
    walk: repairAll,
    kept: ["old"],
  },
  {
    name: "a namespace that is registered, labelled anew and deleted",
    step: "delete-namespace",
    prepare: async () => ({}),
    walk: async (context) => {
      await labelNamespace(context, { team: "web" });
      await labelNamespace(context, { team: "db" });
      const seen = await context.store.readNamespace(SPACE, "shop");
      return deleteNamespace(context, SPACE, "shop", seen?.revision);
    },
    kept: [],
    again: (context) => labelNamespace(context, {}),
  },
  {
    name: "assign from a pool that selects the host and the namespace",
    step: "take-slots",
    prepare: async ({ calm }) => {
      for (const name of ["node-1", "node-2"]) await label(calm, name, { zone: "west" });
      await labelNamespace(calm, { team: "web" });
      await putPool(calm, SPACE, "pool", selectivePool, await revision(calm));
      return { old: await assigned(calm, { ...requestOf("old", 1), namespace: "shop" }) };
    },
    walk: (context) => assign(context, { ...requestOf("new", 1), namespace: "shop" }),
    kept: ["old"],
  },
  {
    name: "assign by the labels that come with the request",
    step: "take-slots",
    prepare: async ({ calm }) => {
      await putPool(calm, SPACE, "pool", selectivePool, await revision(calm));
      return { old: await assigned(calm, { ...requestOf("old", 1), ...LABELLED }) };
    },
    walk: (context) => assign(context, { ...requestOf("new", 1, "key"), ...LABELLED }),
    kept: ["old"],
    again: (context) => assigned(context, { ...requestOf("new", 1, "key"), ...LABELLED }),
  },
  {
    name: "an assign in part, of the one family that a pool serves",
    step: "take-slots",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    walk: (context) => assign(context, inPart()),
    kept: ["old"],
    again: async (context) =>
      expect(await assigned(context, inPart())).toMatchObject({
        addresses: [{ family: 4 }],
        missing: [{ family: 6, count: 1, code: "no_pool_available" }],
      }),
  },
  {
    name: "a claim of a range for a host",
    step: "create-block",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, { ...requestOf("old", 1), host: "host:node-2" }),
    }),
    walk: (context) => claimAffinities(context, { space: SPACE, host: "host:node-1", cidr: RANGE }),
    kept: ["old"],
    again: (context) =>
      claimAffinities(context, { space: SPACE, host: "host:node-1", cidr: RANGE }),
  },
  {
    name: "a claim of a range that goes on after its first blocks",
    step: "create-block",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, { ...requestOf("old", 1), host: "host:node-2" }),
    }),
    walk: (context) => claimAffinities(context, LATER_BLOCKS),
    kept: ["old"],
    again: (context) => claimAffinities(context, LATER_BLOCKS),
  },
  {
    name: "a release of a host's affinities in a range",
    step: "disown",
    prepare: hostWithBlocks,
    walk: (context) => releaseRange(context, { ...wholly("host:node-1"), cidr: HALF }),
    kept: ["old", "guest"],
    again: (context) => releaseRange(context, { ...wholly("host:node-1"), cidr: HALF }),
  },
  {
    name: "a claim of a block that serves on without an owner",
    step: "seize",
    prepare: async ({ calm }) => {
      const told = { old: await assigned(calm, requestOf("old", 1)) };
      await releaseAffinities(calm, wholly("host:node-1"));
      return told;
    },
    walk: (context) => claimAffinities(context, { space: SPACE, host: "host:node-2", cidr: RANGE }),
    kept: ["old"],
  },
  {
    name: "a block ensured for a host that has none",
    step: "create-block",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, { ...requestOf("old", 1), host: "host:node-2" }),
    }),
    walk: ensureOne,
    kept: ["old"],
    again: ensureOne,
  },
  {
    name: "a release of all affinities of a host",
    step: "disown",
    prepare: hostWithBlocks,
    walk: (context) => releaseAffinities(context, wholly("host:node-1")),
    kept: ["old", "guest"],
    again: (context) => releaseAffinities(context, wholly("host:node-1")),
  },
  {
    name: "a release of those affinities of a host whose blocks are empty",
    step: "delete-block",
    prepare: hostWithBlocks,
    walk: (context) => releaseAffinities(context, { ...wholly("host:node-1"), mustBeEmpty: true }),
    kept: ["old", "guest"],
    again: (context) => releaseAffinities(context, { ...wholly("host:node-1"), mustBeEmpty: true }),
  },
  {
    name: "a release of the affinity to a block in use",
    step: "disown",
    prepare: hostWithBlocks,
    walk: (context) => releaseOne(context, "10.0.0.0/31"),
    kept: ["old", "guest"],
    again: async (context) => {
      await releaseOne(context, "10.0.0.0/31");
      expect(await releaseOne(context, "10.0.0.0/31")).toMatchObject({ status: "not_owned" });
    },
  },
  {
    name: "a release of the affinity to an empty block",
    step: "delete-block",
    prepare: hostWithBlocks,
    walk: (context) => releaseOne(context, "10.0.0.2/31"),
    kept: ["old", "guest"],
    again: (context) => releaseOne(context, "10.0.0.2/31"),
  },
  {
    name: "a release of the affinities of a pool that is asked for",
    step: "create-job",
    prepare: hostWithBlocks,
    walk: (context) => releasePool(context, wholePool),
    kept: ["old", "guest"],
    again: async (context) => {
      await releasePool(context, wholePool);
      await runJobs(context);
      expect(await context.store.listAffinities(SPACE, "host:node-1")).toEqual([]);
    },
  },
  {
    name: "a release of the affinities of a pool that is asked for again when it is done",
    step: "begin-job",
    prepare: async (world) => {
      const told = await hostWithBlocks(world);
      await releasePool(world.calm, wholePool);
      await work(world.calm, world.clock, 1);
      return told;
    },
    walk: (context) => releasePool(context, wholePool),
    kept: ["old", "guest"],
    again: async (context) => {
      await releasePool(context, wholePool);
      await runJobs(context);
    },
  },
  {
    name: "a worker that takes the blocks of a pool from their hosts",
    step: "disown",
    prepare: async (world) => {
      const told = await hostWithBlocks(world);
      await releasePool(world.calm, wholePool);
      return told;
    },
    walk: (context) => runJobs(context),
    kept: ["old", "guest"],
    again: async (context) => {
      await releasePool(context, wholePool);
      await runJobs(context);
    },
  },
  {
    name: "release by host",
    step: "end-whole",
    prepare: hostWithAddresses,
    walk: (context) => releaseHost(context, SPACE, "host:node-3"),
    kept: ["old", "guest"],
    again: (context) => releaseHost(context, SPACE, "host:node-3"),
  },
  ...INSTANCE_OPERATIONS,
  ...QUOTA_OPERATIONS,
  ...INDEX_OPERATIONS,
  ...BATCH_OPERATIONS,
  ...RANGED_OPERATIONS,
  ...CHILD_POOL_OPERATIONS,
  ...SPACE_OPERATIONS,
  ...PREFIX_OPERATIONS,
  ...APPLICATION_OPERATIONS,
  ...NODE_OPERATIONS,
  ...CILIUM_OPERATIONS,
];

/** Writes a node over the current one. */
async function label(context: Context, name: string, labels: Labels) {
  const seen = await context.store.readNode(SPACE, name);
  return putNode(context, SPACE, name, labels, seen?.revision);
}

async function labelNamespace(context: Context, labels: Labels) {
  const seen = await context.store.readNamespace(SPACE, "shop");
  return putNamespace(context, SPACE, "shop", { labels }, seen?.revision);
}

async function forget(context: Context) {
  const seen = await context.store.readNode(SPACE, "node-1");
  return deleteNode(context, SPACE, "node-1", seen?.revision);
}
/** The operations with their names, for a suite with a test of each. */
export const NAMED = OPERATIONS.map((operation) => [operation.name, operation] as const);

/** Returns a world in which the operation can begin. */
export async function prepared(operation: Operation) {
  const { world, told } = await (PREPARED.get(operation) ?? prepareOnce(operation));
  return { world: copyOf(world), told };
}

interface Prepared {
  readonly world: World;
  readonly told: Readonly<Record<string, Assignment>>;
}

/** The world of each operation, prepared once: every test begins with a copy. */
const PREPARED = new Map<Operation, Promise<Prepared>>();

function prepareOnce(operation: Operation): Promise<Prepared> {
  const prepare = async () => {
    const world = await makeWorld();
    return { world, told: await operation.prepare(world) };
  };
  const once = prepare();
  PREPARED.set(operation, once);
  return once;
}

/** Disowns the first block of a host. */
async function disownFirst(context: Context) {
  const [affinity] = await context.store.listAffinities(SPACE, "host:node-1");
  const block = affinity && (await context.store.readBlock(SPACE, affinity.block));
  return block && disown(context, block);
}

function limited(
  handle: string,
  count: number,
  limitPerHandle: number,
  key?: string,
): AssignRequest {
  return { ...requestOf(handle, count, key), limitPerHandle };
}

const leased = (handle: string, count: number, leaseSeconds: number): AssignRequest => ({
  ...requestOf(handle, count),
  leaseSeconds,
});

const keeping = (request: AssignRequest): AssignRequest => ({
  ...request,
  hostReserved: { start: 1, end: 0, handle: "reserved" },
});

/** Makes the alternate owner the active one. This changes nothing if it is active already. */
async function changeOwners(context: Context, { vm }: Readonly<Record<string, Assignment>>) {
  const [target, source] = ["target", "source"].map((name) => ({ namespace: "shop", name }));
  const [first] = vm?.addresses ?? [];
  if (!first || !target || !source) return;
  const of = { address: addressOf(first.address), handle: "vm" };
  await amendAddress(context, SPACE, {
    ...of,
    owner: { active: source, alternate: target },
    expectedOwner: { active: null, alternate: null },
  });
  await amendAddress(context, SPACE, {
    ...of,
    owner: { active: target, alternate: null },
    expectedOwner: { active: source, alternate: target },
    leaseSeconds: 86_400,
  });
}

async function renewAll(context: Context, { vm }: Readonly<Record<string, Assignment>>) {
  for (const { address } of vm?.addresses ?? [])
    await amendAddress(context, SPACE, {
      address: addressOf(address),
      handle: "vm",
      leaseSeconds: 86_400,
    });
}

/** Returns the revision of a pool, unless the pool is gone. */
async function revision({ store }: Context, of = "pool"): Promise<string | undefined> {
  return (await store.readSpace(SPACE)).pools.find(({ name }) => name === of)?.revision;
}

/** Creates a second pool by a process that dies before the pool is active. */
async function cutOffCreation({ table, clock }: World): Promise<void> {
  const walk = (own: Table) => createHalf(contextOver(own, clock, 9));
  const calls = await callsOf((await makeWorld()).table, walk);
  const activation = calls.lastIndexOf("put-pool");
  await withMishap(table, activation, "killed before the call", walk);
}

const createHalf = (context: Context) =>
  putPool(context, SPACE, "half", poolOf("10.9.0.0/29", 31), undefined);

async function removeHalf(context: Context) {
  return deletePool(context, SPACE, "half", await revision(context, "half"));
}

/** Fills the blocks of a host that has one block more than it reads at once. */
async function manyFull(context: Context): Promise<Assignment> {
  await putPool(context, SPACE, "wide", poolOf("10.8.0.0/29", 31), undefined);
  return assigned(context, requestOf("many", 2 * (BLOCKS_READ_AT_ONCE + 1)));
}

async function addIpv6(context: Context) {
  return putPool(context, SPACE, "six", poolOf("2001:db8::/126", 127), undefined);
}

/** Gives the pool selectors, so that it serves only the hosts and namespaces that they select. */
async function selectByLabels(context: Context) {
  return putPool(context, SPACE, "pool", selectivePool, await revision(context));
}

/** Writes settings over the current ones. */
async function settle(context: Context, space: string) {
  const { settingsRevision } = await context.store.readSpace(space);
  return putSettings(context, space, strict, settingsRevision);
}

async function freeRouters(context: Context) {
  const { reservations } = await context.store.readSpace(SPACE);
  const seen = reservations.find(({ name }) => name === "routers");
  return deleteReservation(context, SPACE, "routers", seen?.revision);
}

export async function drain(context: Context) {
  return drainPool(context, SPACE, "pool", await revision(context));
}

export async function remove(context: Context) {
  return deletePool(context, SPACE, "pool", await revision(context));
}

/**
 * Completes the deletion of the pool, and creates a pool of the same name and range with larger
 * blocks.
 */
async function succeed(context: Context, _: unknown, clock: Clock): Promise<void> {
  await work(context, clock, 8);
  const put = await putPool(context, SPACE, "pool", poolOf("10.0.0.0/29", 30), undefined);
  expect(put).toMatchObject({ created: true });
  const { addresses } = await assigned(context, requestOf("heir", 5));
  for (const { block } of addresses) expect(block).toMatch(/\/30$/);
}

const keyedInterfaces = interfacesRequest("keyed", { eth0: ["pool"], net1: ["second"] }, "once");
const selectivePool: PoolSpec = {
  ...poolOf("10.0.0.0/29", 31),
  nodeSelector: { text: "zone == 'west'", selector: selector("zone == 'west'") },
  namespaceSelector: { text: "has(team)", selector: selector("has(team)") },
};
const LABELLED = { hostLabels: { zone: "west" }, namespaceLabels: { team: "web" } };
/** Makes a request for both families, of which only one has a pool. */
const inPart = (): AssignRequest => ({
  ...requestOf("new", 1, "key"),
  wanted: [
    { family: 4, count: 1 },
    { family: 6, count: 1 },
  ],
  allowPartial: true,
});
const RANGE = cidrOf("10.0.0.0/29");
const HALF = cidrOf("10.0.0.0/30");
const LATER_BLOCKS = {
  space: SPACE,
  host: "host:node-1",
  cidr: RANGE,
  position: addressOf("10.0.0.2"),
} as const;
const strict = { ...SETTINGS_DEFAULT, cooldownSeconds: COOLDOWN_SECONDS, strictAffinity: true };

const wholePool = { space: SPACE, name: "pool", mustBeEmpty: false };
const wholly = (host: HostId) => ({ space: SPACE, host, mustBeEmpty: false });
const releaseOne = (context: Context, cidr: string) =>
  releaseAffinity(context, { ...wholly("host:node-1"), cidr: cidrOf(cidr) });

async function ensureOne(context: Context) {
  return ensureBlocks(context, { space: SPACE, host: "host:node-1", families: [4], pools: [] });
}

/** Returns a request of a host for a specific address. */
function at(handle: string, host: HostId, address: string, key?: string): AssignRequest {
  return { ...requestOf(handle, 1, key), host, address: addressOf(address) };
}

/**
 * Prepares a host with two blocks. The first is in use, also by a host that borrowed from it. The
 * second is empty and past its minimum age.
 */
async function hostWithBlocks({ calm, clock }: World) {
  const old = await assigned(calm, at("old", "host:node-1", "10.0.0.0"));
  const guest = await assigned(calm, at("guest", "host:node-2", "10.0.0.1"));
  await releaseAll(calm, await assigned(calm, at("gone", "host:node-1", "10.0.0.2")));
  clock.nowMs += 70_000;
  return { old, guest };
}

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

/** A space without a pool. */
const BESIDE = "beside";

export async function firstPool(context: Context): Promise<unknown> {
  return putPool(context, BESIDE, "pool", poolOf("10.0.0.0/29", 31), undefined);
}

const keyedRequest = requestOf("keyed", 1, "once");

/** Ends the quarantine of every address of an answer. */
async function liftAll(context: Context, told: Assignment | undefined): Promise<void> {
  for (const { address } of told?.addresses ?? [])
    await liftQuarantine(context, SPACE, addressOf(address));
}

/** Returns a context that cannot free any slot of one block. */
const rejecting = (context: Context, hot: string | undefined): Context => ({
  ...context,
  store: {
    ...context.store,
    freeSlots: async (block, ...slots) => {
      if (formatCidr(block.cidr) === hot) throw new ContentionError("the block rejects");
      return context.store.freeSlots(block, ...slots);
    },
  },
});

const keyedPair = requestOf("keyed", 2, "twice");
const keyedBoth: AssignRequest = {
  ...requestOf("both", 1, "once"),
  wanted: [
    { family: 4, count: 1 },
    { family: 6, count: 1 },
  ],
};
const specificRequest: AssignRequest = {
  ...requestOf("specific", 1),
  address: addressOf("10.0.0.3"),
};

/** A request with an Idempotency-Key, and its preparation. */
interface Keyed {
  readonly name: string;
  readonly request: AssignRequest;
  prepare?(context: Context): Promise<unknown>;
}

/** The operations that repeat under their key, each in its own way. */
export const KEYED: readonly Keyed[] = [
  { name: "two addresses", request: keyedPair },
  { name: "both families", request: keyedBoth, prepare: addIpv6 },
  { name: "several blocks", request: requestOf("keyed", 5, "once") },
  { name: "a specific address", request: at("keyed", "host:node-1", "10.0.0.3", "once") },
  {
    name: "two of the three that its handle may have, which has one",
    request: limited("vm", 2, 3, "once"),
    prepare: (context) => assigned(context, limited("vm", 1, 3)),
  },
  { name: "an instance of a workload", request: instanceRequest(podOf("a")) },
  { name: "a lease", request: { ...requestOf("keyed", 2, "once"), leaseSeconds: 86_400 } },
  {
    name: "a prefix",
    request: networkRequest("vpc", { key: "once" }),
    prepare: putPrefixPools,
  },
  {
    name: "a specific prefix",
    request: networkRequest("vpc", { specific: cidrOf("10.64.1.0/24"), key: "once" }),
    prepare: putPrefixPools,
  },
];

const router = parseInterval("10.0.0.0-10.0.0.1");
export const routers = { cidrs: ["10.0.0.0-10.0.0.1"], intervals: router.ok ? [router.value] : [] };
