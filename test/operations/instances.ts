import { assign } from "../../src/kernel/assign/assign.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseAddresses } from "../../src/kernel/release/release-addresses.ts";
import { releaseHost } from "../../src/kernel/release/release-host.ts";
import { parseGeneration } from "../../src/kernel/values/generation.ts";
import { instanceRequest, podOf, releaseOf } from "../instances.ts";
import { repairAll } from "../scheduled-runs.ts";
import { addressOf, assigned, requestOf, SPACE, type World } from "../world.ts";
import { cutOffBefore } from "./cut-off.ts";
import { AUTHOR_MS, GRACE_MS, type Meeting, type Operation, type Told } from "./operation.ts";

const WEB = { kind: "Deployment", name: "web", instance: "web-7f9c" };
const NODE_2 = { host: "host:node-2" } as const;
const NODE_3 = { host: "host:node-3" } as const;
const TWO = { wanted: [{ family: 4, count: 2 }] } as const;
/** More than one block has, so that the request has a pending allocation. */
const THREE = { wanted: [{ family: 4, count: 3 }] } as const;

const returns = (uid: string, changes = {}): Pick<Meeting, "walk"> => ({
  walk: (context) => assign(context, instanceRequest(podOf(uid), changes)),
});
const keeps: Pick<Meeting, "walk"> = { walk: (context) => releaseOf(context, podOf("a"), true) };

/** The operations on an instance of a workload: `a`, `b` and `c` are its uids, one after the other. */
export const INSTANCES: readonly Operation[] = [
  {
    name: "first assign of an instance",
    step: "create-allocation",
    walk: (context) => assign(context, instanceRequest(podOf("a"))),
    again: "the same answer",
    meets: [
      {
        with: "one of another uid, later",
        ...returns("b", NODE_2),
        waitMs: AUTHOR_MS,
        ends: ["b"],
      },
    ],
  },
  {
    name: "first assign of an instance over several blocks",
    step: "pending-live",
    walk: (context) => assign(context, instanceRequest(podOf("a"), THREE)),
    again: (context) => assign(context, instanceRequest(podOf("b"), THREE)),
  },
  {
    name: "assign of an instance again under the same uid",
    step: "get",
    prepare: instanceAlone,
    walk: (context) => assign(context, instanceRequest(podOf("a"))),
    kept: ["db"],
    again: "the same answer",
  },
  {
    name: "an instance that is kept by its uid",
    step: "keep",
    prepare: instanceAlone,
    walk: (context) => releaseOf(context, podOf("a"), true),
    kept: ["db"],
    again: "the same",
    meets: [
      { with: "the return of another uid", ...returns("b", NODE_2), ends: ["b"] },
      {
        with: "a release by generation",
        walk: (context, told) => releaseDb(context, told, false),
        ends: [],
      },
    ],
    late: [
      {
        step: "keep",
        why: "until a later incarnation the addresses are this one's to keep, and that one has another incarnation",
      },
    ],
  },
  {
    name: "an instance that is kept by its generations",
    step: "keep",
    prepare: instanceAlone,
    walk: keepAll,
    kept: ["db"],
    again: "the same",
  },
  {
    name: "a kept instance that returns on the same host",
    step: "instance-return",
    prepare: keptInstance,
    walk: (context) => assign(context, instanceRequest(podOf("b"))),
    kept: ["db"],
    again: "the same answer",
    meets: [
      {
        with: "a release by generation",
        walk: (context, told) => releaseDb(context, told, false),
        ends: ["b"],
      },
    ],
  },
  {
    name: "a kept instance that returns on another host",
    step: "borrowed",
    prepare: keptInstance,
    walk: (context) => assign(context, instanceRequest(podOf("b"), NODE_2)),
    kept: ["db"],
    again: "the same answer",
    meets: [
      { with: "that of another uid", ...returns("c"), ends: ["b", "c"] },
      { with: "the same request", ...returns("b", NODE_2), ends: ["b"] },
      { with: "a release", walk: (context) => releaseOf(context, podOf("a")), ends: ["b"] },
      {
        with: "the repair run",
        walk: (context) => repairAll(context),
        waitMs: GRACE_MS,
        ends: ["b"],
      },
    ],
    late: [
      {
        step: "instance-return",
        why: "no slot changes hands; a release or a later incarnation would have changed the revision",
      },
      {
        step: "borrowed",
        why: "the allocation names the host by now, and the write after this one asks for its revision",
      },
    ],
  },
  {
    name: "an instance in use that another uid replaces on another host",
    step: "borrowed",
    prepare: instanceAlone,
    walk: (context) => assign(context, instanceRequest(podOf("b"), NODE_2)),
    kept: ["db"],
    again: (context) => assign(context, instanceRequest(podOf("c"))),
    meets: [{ with: "a keep", ...keeps, ends: ["b"] }],
  },
  {
    name: "an instance that moves to another host under its uid",
    step: "borrowed",
    prepare: instanceAlone,
    walk: (context) => assign(context, instanceRequest(podOf("a"), NODE_2)),
    kept: ["db"],
    again: "the same answer",
  },
  {
    name: "an instance that returns to a host whose entry its function remembers",
    step: "instance-return",
    prepare: returnedAndRemembered,
    walk: (context) => assign(context, instanceRequest(podOf("d"), NODE_2)),
    kept: ["db"],
    again: "the same answer",
    meets: [{ with: "the repair run", walk: (context) => repairAll(context), ends: ["d"] }],
  },
  {
    name: "a kept instance whose addresses do not fit the next uid",
    step: "instance-end",
    prepare: keptInstance,
    walk: (context) => assign(context, instanceRequest(podOf("b"), TWO)),
    again: "the same answer",
  },
  {
    name: "an instance in use whose addresses do not fit the next uid",
    step: "instance-end",
    prepare: instanceAlone,
    walk: (context) => assign(context, instanceRequest(podOf("b"), TWO)),
    again: "the same answer",
    meets: [{ with: "the assign of another uid", ...returns("c"), ends: ["b", "c"] }],
  },
  {
    name: "an instance of a kind that keeps nothing, which another uid replaces",
    step: "instance-end",
    prepare: instanceOfDeployment,
    walk: (context) => assign(context, instanceRequest(podOf("b", WEB))),
    again: "the same answer",
  },
  {
    name: "an instance whose first assign was cut off, under another uid",
    step: "instance-fence",
    prepare: async (world) => {
      const told = await instanceAlone(world);
      await cutOffBefore(world, "take-slots", (context) =>
        assign(context, instanceRequest(podOf("a", WEB))),
      );
      world.clock.nowMs += 20_000;
      return told;
    },
    walk: (context) => assign(context, instanceRequest(podOf("b", WEB))),
    kept: ["old", "db"],
    again: "the same answer",
  },
  {
    name: "release of an instance by its uid",
    step: "instance-delete",
    prepare: instanceAlone,
    walk: (context) => releaseOf(context, podOf("a")),
    again: "the same",
    meets: [
      { with: "a keep", ...keeps, ends: [] },
      { with: "a keep by generation", walk: keepAll, ends: [] },
    ],
  },
  {
    name: "release of a kept instance by its uid",
    step: "instance-delete",
    prepare: keptInstance,
    walk: (context) => releaseOf(context, podOf("a")),
    again: (context) => assign(context, instanceRequest(podOf("b"))),
    meets: [{ with: "the return of another uid", ...returns("b", NODE_2), ends: ["b"] }],
  },
  {
    name: "release of a kept instance by its generation",
    step: "mark-freed",
    prepare: keptInstance,
    walk: (context, told) => releaseDb(context, told, false),
    again: "the same",
    meets: [{ with: "the return of another uid", ...returns("b", NODE_2), ends: ["b"] }],
  },
  {
    name: "release of both addresses of an instance by their generations",
    step: "instance-delete",
    prepare: async (world) => ({
      old: await assigned(world.calm, requestOf("old", 1)),
      db: await assigned(world.calm, instanceRequest(podOf("a"), TWO)),
    }),
    walk: (context, told) => releaseDb(context, told, false),
    again: (context) => releaseOf(context, podOf("a")),
  },
  {
    name: "repair of an instance whose release was cut off",
    step: "repair-released",
    prepare: async (world) => {
      const told = await instanceAlone(world);
      await cutOffBefore(world, "free-slots", (context) => releaseOf(context, podOf("a")));
      world.clock.nowMs += 100_000;
      return told;
    },
    walk: repairAll,
    again: (context) => assign(context, instanceRequest(podOf("b"))),
  },
  {
    name: "repair beside a kept instance",
    step: "scan",
    prepare: keptInstance,
    walk: (context) => repairAll(context),
    kept: ["old", "db"],
    again: "the same",
    meets: [{ with: "the return of another uid", ...returns("b", NODE_2), ends: ["b"] }],
  },
  {
    name: "release by host of an instance that keeps its address",
    step: "keep",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      db: await assigned(calm, instanceRequest(podOf("a"), NODE_3)),
    }),
    walk: (context) => releaseHost(context, SPACE, "host:node-3"),
    kept: ["old", "db"],
    again: "the same",
    meets: [{ with: "the return of another uid", ...returns("b", NODE_2), ends: ["b"] }],
  },
  {
    name: "release by host of instances that keep their addresses and of others",
    step: "keep",
    prepare: async ({ calm }) => ({
      old: await assigned(calm, requestOf("old", 1)),
      db: await assigned(calm, instanceRequest(podOf("a"), NODE_3)),
      web: await assigned(calm, instanceRequest(podOf("b", WEB), NODE_3)),
    }),
    walk: (context) => releaseHost(context, SPACE, "host:node-3"),
    kept: ["old", "db"],
    again: "the same",
  },
];

async function instanceAlone({ calm }: World) {
  const old = await assigned(calm, requestOf("old", 1));
  return { old, db: await assigned(calm, instanceRequest(podOf("a"))) };
}

async function keptInstance(world: World) {
  const told = await instanceAlone(world);
  await releaseOf(world.calm, podOf("a"), true);
  return told;
}

/** A function serves an instance on another host, and back on its own, so long ago that the repair run deletes the entry. */
async function returnedAndRemembered(world: World) {
  const { calm, clock } = world;
  const told = await instanceAlone(world);
  await assigned(calm, instanceRequest(podOf("b"), NODE_2));
  await assigned(calm, instanceRequest(podOf("c")));
  clock.nowMs += GRACE_MS;
  return told;
}

async function instanceOfDeployment({ calm }: World) {
  const old = await assigned(calm, requestOf("old", 1));
  await assigned(calm, instanceRequest(podOf("a", WEB)));
  return { old };
}

/** Keeps `db` for its next incarnation by its generations. */
async function keepAll(context: Context, told: Told) {
  return releaseDb(context, told, true);
}

/** Releases the addresses of `db`, or keeps them, by their generations. */
async function releaseDb(context: Context, { db }: Told, keep: boolean) {
  const entries = (db?.addresses ?? []).flatMap(({ address, generation }) => {
    const parsed = parseGeneration(generation);
    return parsed.ok ? [{ address: addressOf(address), generation: parsed.value }] : [];
  });
  return releaseAddresses(context, SPACE, entries, keep);
}
