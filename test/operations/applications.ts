import {
  DB,
  end,
  fewer,
  hold,
  holding,
  inUse,
  keptByLast,
  leftWithOne,
  putTeam,
  take,
  WEB,
  webPod,
  withSubnet,
} from "../applications.ts";
import { instanceRequest, podOf, releaseOf } from "../instances.ts";
import { repairAll } from "../scheduled-runs.ts";
import { assigned, releaseAll, reportAll, type World } from "../world.ts";
import { GRACE_MS, type Meeting, type Operation } from "./operation.ts";

const LAST = podOf("a", { instance: "db-1" });

/** Deletes an application with an address that is in use. */
const ended = async (world: World) => {
  const told = await inUse(2)(world);
  await end(world.calm);
  return told;
};

/** Makes a StatefulSet of two replicas, of which the second uses its address. */
const lastInUse = async (world: World) => {
  const told = await withSubnet(world);
  await hold(world.calm, 2, DB, 2);
  return { ...told, db: await assigned(world.calm, instanceRequest(LAST)) };
};

/** Makes a StatefulSet of one replica, and the instance of a second one is still there. */
const lostOrdinal = async (world: World) => {
  const told = await lastInUse(world);
  await hold(world.calm, 2, DB, 1);
  return told;
};

/** The operations that an instance can meet: those on its application, another instance, and the repair run. */
const MEETS_OF_INSTANCES: readonly Meeting[] = [
  { with: "its application that gets smaller", walk: (context) => hold(context, 1) },
  { with: "the deletion of its application", walk: (context) => end(context) },
  { with: "its application that grows", walk: (context) => hold(context, 6) },
  { with: "another instance that takes one", walk: (context) => take(context, webPod(2)) },
  { with: "the repair run", walk: (context) => repairAll(context) },
];

/** What an instance does while its application changes. */
const INSTANCES_MET: readonly Meeting[] = [
  {
    with: "an instance that takes an address",
    prepare: holding(2),
    walk: (context) => take(context),
  },
  {
    with: "an instance that gives its address back",
    prepare: inUse(2),
    walk: (context) => releaseOf(context, webPod(1)),
  },
];

/** The operations on applications, and on their instances. */
export const APPLICATIONS: readonly Operation[] = [
  {
    name: "an application that is new",
    step: "create-application",
    prepare: withSubnet,
    walk: (context) => hold(context, 3),
    again: "the same",
  },
  {
    name: "an application that grows",
    step: "change-application",
    prepare: holding(1),
    walk: (context) => hold(context, 3),
    again: "the same",
    meets: [...INSTANCES_MET],
    late: [
      {
        step: "change-application",
        why: "a pool that took the addresses meanwhile fenced their blocks, so that none of them gets held",
      },
      {
        step: "take-slots",
        rejectedBy: "take-epoch",
        why: "the repair run fenced the blocks before it unlisted what was named and not held",
      },
      {
        step: "settle",
        rejectedBy: "settle-rev",
        why: "the repair run wrote that the addresses are held",
      },
    ],
  },
  {
    name: "the growth of an application",
    step: "change-application",
    prepare: leftWithOne,
    walk: (context) => hold(context, 6),
    again: "the same",
    meets: [
      { with: "a pool that is cut out of its pool", walk: (context) => putTeam(context) },
      { with: "its deletion", walk: (context) => end(context) },
      { with: "the repair run", walk: (context) => repairAll(context), waitMs: GRACE_MS },
      { with: "that of another one", walk: (context) => hold(context, 6, { ...WEB, name: "api" }) },
    ],
  },
  {
    name: "an application that gets smaller",
    step: "let-go",
    prepare: holding(3),
    walk: (context) => hold(context, 1),
    again: "the same",
    meets: [...INSTANCES_MET],
    late: [
      {
        step: "let-go",
        rejectedBy: "let-go-tag",
        why: "the repair run let the addresses go, and an instance that takes one changes its slot as well",
      },
      { step: "settle", rejectedBy: "settle-rev", why: "the repair run unlisted them" },
    ],
  },
  {
    name: "an application that is deleted",
    step: "delete-application",
    prepare: holding(3),
    walk: (context) => end(context),
    again: "the same",
    meets: [
      ...INSTANCES_MET,
      { with: "its growth", prepare: leftWithOne, walk: (context) => hold(context, 6) },
    ],
    late: [
      {
        step: "delete-application",
        rejectedBy: "delete-application-rev",
        why: "the repair run deleted it",
      },
    ],
  },
  {
    name: "an instance that takes an address of its application",
    step: "take-slots",
    prepare: holding(2),
    walk: (context) => take(context),
    again: "the same",
    meets: [...MEETS_OF_INSTANCES],
    late: [
      {
        step: "take-slots",
        rejectedBy: "take-epoch",
        why: "the repair run fenced the block before it deleted the allocation",
      },
    ],
  },
  {
    name: "an instance that takes an address beside another instance",
    step: "take-slots",
    prepare: inUse(2),
    walk: (context) => take(context, webPod(2)),
    again: "the same answer",
    meets: INSTANCES_MET,
  },
  {
    name: "an instance that takes an address of its application in place of another uid",
    step: "take-slots",
    prepare: inUse(2),
    walk: (context) => take(context, webPod(1, "next")),
    again: "the same",
  },
  {
    name: "an instance that gives its address back to its application",
    step: "free-slots",
    prepare: inUse(2),
    walk: (context) => releaseOf(context, webPod(1)),
    again: "the same",
    meets: [...MEETS_OF_INSTANCES],
    late: [
      {
        step: "free-slots",
        rejectedBy: "free-tag",
        why: "the allocation was marked, and the repair run gave the slot back to the application",
      },
    ],
  },
  {
    name: "an instance that gives its address back by its generation",
    step: "free-slots",
    prepare: inUse(2),
    walk: (context, { web }) => releaseAll(context, web),
    again: "the same",
  },
  {
    name: "an instance that gives its address back to an application with fewer",
    step: "leave",
    prepare: fewer,
    walk: (context) => releaseOf(context, webPod(1)),
    again: "the same",
    meets: [{ with: "its application that grows", walk: (context) => hold(context, 6) }],
    late: [
      { step: "leave", rejectedBy: "leave-rev", why: "the repair run made the address leave" },
    ],
  },
  {
    name: "an instance that gives its address back to an application that is deleted",
    step: "delete-application",
    prepare: ended,
    walk: (context) => releaseOf(context, webPod(1)),
    again: "the same",
  },
  {
    name: "a conflict of an address of an application",
    step: "leave",
    prepare: inUse(2),
    walk: (context, { web }) => reportAll(context, web),
    again: "the same",
  },
  {
    name: "the last instance of a StatefulSet, which is kept",
    step: "keep",
    prepare: lastInUse,
    walk: (context) => releaseOf(context, LAST, true),
    again: "the same",
    meets: [
      {
        with: "its StatefulSet that has no replica for it any more",
        walk: (context) => hold(context, 1, DB, 1),
      },
    ],
  },
  {
    name: "an instance that is kept, and its StatefulSet has no replica for it",
    step: "instance-end",
    prepare: lostOrdinal,
    walk: (context) => releaseOf(context, LAST, true),
    again: "the same",
  },
  {
    name: "a StatefulSet that gets smaller, and its last instance uses its address",
    step: "change-application",
    prepare: lastInUse,
    walk: (context) => hold(context, 1, DB, 1),
    again: "the same",
    meets: [
      { with: "the last instance that is kept", walk: (context) => releaseOf(context, LAST, true) },
    ],
  },
  {
    name: "a StatefulSet that gets smaller than what its instances keep",
    step: "narrow-ordinals",
    prepare: keptByLast,
    walk: (context) => hold(context, 1, DB, 1),
    again: "the same",
    meets: [
      {
        with: "the last instance that returns",
        walk: (context) => take(context, podOf("b", { instance: "db-1" })),
      },
      { with: "its growth", walk: (context) => hold(context, 2, DB, 2) },
    ],
    late: [
      {
        step: "narrow-ordinals",
        rejectedBy: "narrow-ordinals-rev",
        why: "the repair run ended what the lost instance kept, and narrowed the ordinals",
      },
    ],
  },
  {
    name: "a StatefulSet that is deleted, and one of its instances keeps an address",
    step: "delete-application",
    prepare: keptByLast,
    walk: (context) => end(context, DB),
    again: "the same",
  },
  {
    name: "a pool that is cut out of a pool for applications",
    step: "cut-fence",
    prepare: leftWithOne,
    walk: (context) => putTeam(context),
    again: "the same",
    meets: [{ with: "the growth of an application", walk: (context) => hold(context, 6) }],
    late: [
      {
        step: "cut-fence",
        rejectedBy: "fence-block",
        why: "the reclaimer deleted the block; a new one has another epoch",
      },
    ],
  },
  {
    name: "repair of an application that nothing is wrong with",
    step: "get",
    prepare: inUse(2),
    walk: (context) => repairAll(context),
    again: "the same",
    meets: INSTANCES_MET,
  },
];
