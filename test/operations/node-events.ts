import { assign } from "../../src/kernel/assign/assign.ts";
import type { ClusterEvent } from "../../src/nouns/node/node-health.ts";
import { applyEvents } from "../../src/nouns/node/operations/apply-events.ts";
import {
  type CompleteList,
  completeNodes,
} from "../../src/nouns/node/operations/complete-nodes.ts";
import { setIndexes } from "../indexes.ts";
import { instanceRequest, podOf } from "../instances.ts";
import * as events from "../node-events.ts";
import { say } from "../node-events.ts";
import { ensure, putPrefixPools } from "../prefixes.ts";
import { repairAll } from "../scheduled-runs.ts";
import { assigned, requestOf, SPACE, type World } from "../world.ts";
import { GRACE_MS, type Operation, type Told, withOld } from "./operation.ts";

/** A node whose host has nothing of the other operations, because all that a host has goes with its node. */
const NODE = "node-9";

const stated = (...said: Parameters<typeof events.stated>): ClusterEvent => ({
  ...events.stated(...said),
  name: NODE,
});
const deleted = (version: number): ClusterEvent => ({ ...events.deleted(version), name: NODE });

/** Another node of the cluster, without which a list would lack all of them. */
const OTHERS = [{ name: "node-1", uid: "uid-other", podCidrs: [] }];

const listWithout = (version: number): CompleteList => ({
  space: SPACE,
  cluster: "c",
  resourceVersion: String(version),
  nodes: OTHERS,
});

/** Prepares a node that a cluster reports, and an address of its host. */
const spokenIn =
  (cluster: string) =>
  async (world: World): Promise<Told> => {
    await applyEvents(world.calm, { space: SPACE, cluster }, [stated(5)]);
    return withOld(world);
  };

/** Prepares a node that has spoken, and an address of its host. */
const spoken =
  (...more: readonly ClusterEvent[]) =>
  async (world: World): Promise<Told> => {
    await say(world.calm, stated(5), ...more);
    return withOld(world);
  };

/** The event that the pod with the uid `a` is over. */
const POD_OVER: ClusterEvent = { act: "release", name: "a", uid: "a" };

/** Prepares a space that indexes the uids of pods, and an address of another pod. */
async function indexed(world: World): Promise<Told> {
  await setIndexes(world.calm, ["podUid"]);
  const old = { ...requestOf("old", 1), attributes: { podUid: "old" } };
  return { old: await assigned(world.calm, old) };
}

/** Returns the request of the instance for a pod with this uid. */
const instanceOf = (podUid: string) => instanceRequest(podOf(podUid), { attributes: { podUid } });

/** Returns the preparation, the operation and the repeat of an event. */
const event = (
  one: ClusterEvent,
  prepare = withOld,
): Pick<Operation, "prepare" | "walk" | "again"> => ({
  prepare,
  walk: (context) => say(context, one),
  again: "the same",
});

/** The operations on nodes that clusters report. */
export const NODE_EVENTS: readonly Operation[] = [
  {
    name: "an event of a new node",
    step: "create-report",
    ...event(stated(5)),
  },
  {
    name: "an event that changes the labels of a node",
    step: "registered",
    ...event(stated(6, { labels: { zone: "b" } }), spoken()),
  },
  {
    name: "an event with nothing new",
    step: "status",
    ...event(stated(6), spoken()),
  },
  {
    name: "an event of another object of a node's name",
    step: "gone",
    ...event(stated(9, { uid: "uid-2", createdAtMs: 2_000 }), spoken()),
  },
  {
    name: "an event that a node is deleted",
    step: "delete-report",
    ...event(deleted(7), spoken()),
  },
  {
    name: "an event of a node that comes back",
    step: "revive",
    ...event(stated(9), spoken(deleted(7))),
  },
  {
    name: "an event that a replaced node is deleted",
    step: "gone-over",
    ...event(deleted(7), spoken(stated(9, { uid: "uid-2", createdAtMs: 2_000 }))),
  },
  {
    name: "a complete list that lacks a node",
    step: "missing",
    prepare: spokenIn("c"),
    walk: (context) => completeNodes(context, listWithout(7)),
    again: "the same",
  },
  {
    name: "a second complete list that lacks a node",
    step: "delete-report",
    prepare: async (world) => {
      const told = await spokenIn("c")(world);
      await completeNodes(world.calm, listWithout(7));
      world.clock.nowMs += GRACE_MS;
      return told;
    },
    walk: (context) => completeNodes(context, listWithout(8)),
    again: "the same",
  },
  {
    name: "a complete list that has a node again",
    step: "missing",
    prepare: async (world) => {
      const told = await spokenIn("c")(world);
      await completeNodes(world.calm, listWithout(7));
      return told;
    },
    walk: (context) =>
      completeNodes(context, {
        ...listWithout(8),
        nodes: [...OTHERS, { name: NODE, uid: "uid-1", podCidrs: [] }],
      }),
    again: "the same",
  },
  {
    name: "the end of a node's machine",
    step: "leave-machine",
    ...event({ act: "terminate", name: "i-1" }, spoken()),
  },
  {
    name: "the renewal of a node's Lease",
    step: "sign-of-life",
    ...event({ act: "renew", name: NODE, renewedAt: "2026-03-11T08:13:10Z" }, spoken()),
  },
  {
    name: "the repair run of a node that ended",
    step: "freed",
    prepare: async (world) => {
      const { calm, clock } = world;
      const guest = await assigned(calm, { ...requestOf("guest", 1), host: "host:node-2" });
      await spoken()(world);
      await putPrefixPools(calm);
      await ensure(calm, NODE, { uid: "uid-1" });
      await assigned(calm, { ...requestOf("gone", 1), host: `host:${NODE}` });
      await say(calm, deleted(7));
      clock.nowMs += 100_000;
      return { guest };
    },
    walk: (context) => repairAll(context),
    kept: ["guest"],
    again: (context) => say(context, deleted(7)),
  },
  {
    name: "an event that a pod is over",
    step: "end-whole",
    prepare: async (world) => ({
      ...(await spoken()(world)),
      pod: await assigned(world.calm, requestOf("pod/a", 2)),
    }),
    walk: (context) => say(context, POD_OVER),
    again: "the same",
  },
  {
    name: "an event that a pod with attachments is over",
    step: "index-entry-drop",
    prepare: async (world) => {
      const told = await indexed(world);
      for (const ifName of ["eth0", "net1"])
        await assigned(world.calm, {
          ...requestOf(`cni/net/${NODE}/c/${ifName}`, 1, ifName),
          attributes: { podUid: "a" },
        });
      return told;
    },
    walk: (context) => say(context, POD_OVER),
    again: "the same",
  },
  {
    name: "an event that a pod with a kept instance is over",
    step: "keep",
    prepare: async (world) => {
      const told = await indexed(world);
      await assigned(world.calm, instanceOf("a"));
      return told;
    },
    walk: (context) => say(context, POD_OVER),
    again: "the same",
    meets: [
      {
        with: "the next pod of the instance",
        walk: (context) => assign(context, instanceOf("b")),
        ends: ["b"],
      },
    ],
  },
];
