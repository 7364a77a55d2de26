import { Rejection } from "../../src/base/outcome.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { amendAddress } from "../../src/nouns/address/operations/amend-address.ts";
import { repairAll } from "../scheduled-runs.ts";
import {
  addressOf,
  assigned,
  contentsIn,
  releaseAll,
  requestOf,
  SPACE,
  type World,
} from "../world.ts";
import {
  AUTHOR_MS,
  BY_A_RUN,
  GRACE_MS,
  type Operation,
  type Told,
  UNKEYED,
  withOld,
} from "./operation.ts";

/** Requests with a limit of addresses of their handle, and those with a lease. */
export const LIMITS_AND_LEASES: readonly Operation[] = [
  {
    name: "assign of two under a limit",
    step: "quota-slot",
    prepare: async ({ calm }) => ({ old: await assigned(calm, limited("vm", 1, 3)) }),
    walk: (context) => assign(context, limited("vm", 2, 3)),
    again: "the same",
    late: [
      {
        step: "pending-live",
        rejectedBy: "pending-live-rev",
        why: "the repair run aborted the allocation and deleted its quota slots",
      },
    ],
  },
  {
    name: "assign of all that a limit allows",
    step: "quota-slot",
    walk: (context) => assign(context, limited("vm", 2, 2)),
    again: "the same",
    meets: [
      {
        with: "another under the same limit",
        walk: (context) => assign(context, limited("vm", 2, 2)),
        waitMs: AUTHOR_MS,
      },
    ],
  },
  {
    name: "assign with a key of two of the three that its handle may have, which has one",
    step: "quota-slot",
    prepare: async ({ calm }) => ({ old: await assigned(calm, limited("vm", 1, 3)) }),
    walk: (context) => assign(context, limited("vm", 2, 3, "once")),
    again: "the same answer",
  },
  {
    name: "assign under a limit that is reached, with an Idempotency-Key",
    step: "create-allocation",
    prepare: async ({ calm }) => ({ old: await assigned(calm, limited("vm", 1, 1)) }),
    walk: (context) => assign(context, limited("vm", 1, 1, "once")),
    again: "the same answer",
  },
  {
    name: "assign under a limit after a request that was cut off",
    step: "quota-slot-over",
    prepare: async (world) => {
      await leaveQuotaSlot(world, limited("vm", 1, 1));
      return withOld(world);
    },
    walk: (context) => assign(context, limited("vm", 1, 1)),
    again: UNKEYED,
  },
  {
    name: "repair of a quota slot without an address",
    step: "repair-quota-slot",
    prepare: async (world) => {
      await leaveQuotaSlot(world, limited("vm", 2, 2));
      world.clock.nowMs += GRACE_MS;
      return withOld(world);
    },
    walk: repairAll,
    again: "the same",
    meets: [
      {
        with: "a request under the same limit",
        walk: (context) => assign(context, limited("vm", 2, 2)),
      },
    ],
  },
  {
    name: "release by address of two under a limit",
    step: "quota-slot-drop",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      gone: await assigned(calm, limited("vm", 2, 2)),
    }),
    walk: (context, { gone }) => releaseAll(context, gone),
    again: "the same",
  },
  {
    name: "release by handle of two under a limit",
    step: "quota-slot-drop",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      gone: await assigned(calm, limited("vm", 2, 2)),
    }),
    walk: (context) => releaseHandle(context, SPACE, "vm"),
    again: "the same",
  },
  {
    name: "assign with a lease and an Idempotency-Key",
    step: "take-slots",
    walk: (context) => assign(context, leased("vm", 2, 86_400, "once")),
    again: "the same answer",
  },
  {
    name: "renewal of a lease",
    step: "amend",
    prepare: async ({ calm }) => ({ vm: await assigned(calm, leased("vm", 2, 86_400)) }),
    walk: renewAll,
    kept: ["vm"],
    again: "the same",
    meets: [
      {
        with: "the repair run, when the lease has run out",
        walk: (context) => repairAll(context),
        prepare: expired,
      },
    ],
    late: [
      {
        step: "amend",
        why: "the lease lasts for a day, and it counts from when the request was read",
      },
    ],
  },
  {
    name: "a change of owners, with the lease",
    step: "amend",
    prepare: async ({ calm }) => ({ vm: await assigned(calm, leased("vm", 2, 86_400)) }),
    walk: changeOwners,
    kept: ["vm"],
    again: "the same",
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
    again: BY_A_RUN,
    meets: [{ with: "its renewal", walk: renewAll, prepare: expired }],
    late: [
      {
        step: "expire",
        rejectedBy: "expire-rev",
        why: "another run of repair ended it; a renewal would have changed the revision as well",
      },
    ],
  },
];

const limited = (
  handle: string,
  count: number,
  limitPerHandle: number,
  key?: string,
): AssignRequest => ({
  ...requestOf(handle, count, key),
  limitPerHandle,
});

const leased = (
  handle: string,
  count: number,
  leaseSeconds: number,
  key?: string,
): AssignRequest => ({
  ...requestOf(handle, count, key),
  leaseSeconds,
});

/** Assigns and releases, and leaves the first quota slot as it was taken. */
async function leaveQuotaSlot(world: World, request: AssignRequest): Promise<void> {
  const told = await assigned(world.calm, request);
  const [quotaSlot] = contentsIn(world).quotaSlots;
  await releaseAll(world.calm, told);
  if (quotaSlot) await world.calm.store.putQuotaSlot(quotaSlot, undefined);
}

/** Assigns under a lease that has run out. */
async function expired({ calm, clock }: World): Promise<Told> {
  const vm = await assigned(calm, leased("vm", 2, 60));
  clock.nowMs += GRACE_MS;
  return { vm };
}

/** Renews the leases, and returns what is leased; nothing if a renewal is rejected. */
async function renewAll(context: Context, { vm }: Told) {
  for (const { address } of vm?.addresses ?? []) {
    const renewal = { address: addressOf(address), handle: "vm", leaseSeconds: 86_400 };
    if ((await amendAddress(context, SPACE, renewal)) instanceof Rejection) return undefined;
  }
  return vm;
}

/** Makes the alternate owner the active one. This changes nothing if it is active already. */
async function changeOwners(context: Context, { vm }: Told) {
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
