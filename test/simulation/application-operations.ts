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
  webPod,
  withSubnet,
} from "../applications.ts";
import { instanceRequest, podOf, releaseOf } from "../instances.ts";
import { assigned, releaseAll, reportAll, type World } from "../world.ts";
import type { Operation } from "./operations.ts";

const LAST = podOf("a", { instance: "db-1" });

/** Deletes an application with an address that is in use. */
const ended = async (world: World) => {
  const told = await inUse(2)(world);
  await end(world.calm);
  return told;
};

/** Makes a StatefulSet of one replica, and the instance of a second one is still there. */
const lostOrdinal = async (world: World) => {
  const told = await withSubnet(world);
  await hold(world.calm, 2, DB, 2);
  await assigned(world.calm, instanceRequest(LAST));
  await hold(world.calm, 2, DB, 1);
  return told;
};

/** The operations on applications. */
export const APPLICATION_OPERATIONS: readonly Operation[] = [
  {
    name: "an application that is new",
    step: "create-application",
    prepare: withSubnet,
    walk: (context) => hold(context, 3),
    kept: ["old"],
    again: (context) => hold(context, 3),
  },
  {
    name: "an application that grows",
    step: "change-application",
    prepare: holding(1),
    walk: (context) => hold(context, 3),
    kept: ["old"],
    again: (context) => hold(context, 3),
  },
  {
    name: "an application that gets smaller",
    step: "let-go",
    prepare: holding(3),
    walk: (context) => hold(context, 1),
    kept: ["old"],
    again: (context) => hold(context, 1),
  },
  {
    name: "an application that is deleted",
    step: "delete-application",
    prepare: holding(3),
    walk: (context) => end(context),
    kept: ["old"],
    again: (context) => end(context),
  },
  {
    name: "an instance that takes an address of its application",
    step: "take-slots",
    prepare: holding(2),
    walk: (context) => take(context),
    kept: ["old"],
    again: (context) => take(context),
  },
  {
    name: "an instance that takes an address of its application in place of another uid",
    step: "take-slots",
    prepare: inUse(2),
    walk: (context) => take(context, webPod(1, "next")),
    kept: ["old"],
    again: (context) => take(context, webPod(1, "next")),
  },
  {
    name: "an instance that gives its address back to its application",
    step: "free-slots",
    prepare: inUse(2),
    walk: (context) => releaseOf(context, webPod(1)),
    kept: ["old"],
    again: (context) => releaseOf(context, webPod(1)),
  },
  {
    name: "an instance that gives its address back by its generation",
    step: "free-slots",
    prepare: inUse(2),
    walk: (context, { web }) => releaseAll(context, web),
    kept: ["old"],
    again: (context, { web }) => releaseAll(context, web),
  },
  {
    name: "an instance that gives its address back to an application with fewer",
    step: "leave",
    prepare: fewer,
    walk: (context) => releaseOf(context, webPod(1)),
    kept: ["old"],
    again: (context) => releaseOf(context, webPod(1)),
  },
  {
    name: "an instance that gives its address back to an application that is deleted",
    step: "delete-application",
    prepare: ended,
    walk: (context) => releaseOf(context, webPod(1)),
    kept: ["old"],
    again: (context) => releaseOf(context, webPod(1)),
  },
  {
    name: "a conflict of an address of an application",
    step: "leave",
    prepare: inUse(2),
    walk: (context, { web }) => reportAll(context, web),
    kept: ["old"],
    again: (context, { web }) => reportAll(context, web),
  },
  {
    name: "an instance that is kept, and its StatefulSet has no replica for it",
    step: "instance-end",
    prepare: lostOrdinal,
    walk: (context) => releaseOf(context, LAST, true),
    kept: ["old"],
    again: (context) => releaseOf(context, LAST, true),
  },
  {
    name: "a StatefulSet that gets smaller than what its instances keep",
    step: "narrow-ordinals",
    prepare: keptByLast,
    walk: (context) => hold(context, 1, DB, 1),
    kept: ["old"],
    again: (context) => hold(context, 1, DB, 1),
  },
  {
    name: "a StatefulSet that is deleted, and one of its instances keeps an address",
    step: "delete-application",
    prepare: keptByLast,
    walk: (context) => end(context, DB),
    kept: ["old"],
    again: (context) => end(context, DB),
  },
  {
    name: "a pool that is cut out of a pool for applications",
    step: "cut-fence",
    prepare: leftWithOne,
    walk: (context) => putTeam(context),
    kept: ["old"],
    again: (context) => putTeam(context),
  },
];
