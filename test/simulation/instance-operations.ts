import { assign } from "../../src/allocator/assign/assign.ts";
import type { Assignment } from "../../src/allocator/assign/assignment.ts";
import type { Context } from "../../src/allocator/core/context.ts";
import { releaseAddresses } from "../../src/allocator/release/release-addresses.ts";
import { releaseHost } from "../../src/allocator/release/release-host.ts";
import { parseGeneration } from "../../src/domain/generation.ts";
import { instanceRequest, podOf, releaseOf } from "../instances.ts";
import { repairAll } from "../scheduled-runs.ts";
import { addressOf, assigned, contextOver, requestOf, SPACE, type World } from "../world.ts";
import { answerOf, stoppedBefore } from "./crash-points.ts";
import type { Operation } from "./operations.ts";

const WEB = { kind: "Deployment", name: "web", instance: "web-7f9c" };
const NODE_2 = { host: "host:node-2" } as const;
const NODE_3 = { host: "host:node-3" } as const;
const TWO = { wanted: [{ family: 4, count: 2 }] } as const;
/** More than one block has, so that the request has a pending allocation. */
const THREE = { wanted: [{ family: 4, count: 3 }] } as const;

/** The operations on an instance of a workload: `a`, `b` and `c` are its uids, one after the other. */
export const INSTANCE_OPERATIONS: readonly Operation[] = [
  {
    name: "first assign of an instance",
    step: "create-allocation",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    walk: (context) => assign(context, instanceRequest(podOf("a"))),
    kept: ["old"],
    again: (context) => assign(context, instanceRequest(podOf("a"))),
  },
  {
    name: "first assign of an instance over several blocks",
    step: "pending-live",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    walk: (context) => assign(context, instanceRequest(podOf("a"), THREE)),
    kept: ["old"],
    again: (context) => assign(context, instanceRequest(podOf("b"), THREE)),
  },
  {
    name: "assign of an instance again under the same uid",
    step: "get",
    prepare: instanceAlone,
    walk: (context) => assign(context, instanceRequest(podOf("a"))),
    kept: ["db"],
    again: (context) => assign(context, instanceRequest(podOf("a"))),
  },
  {
    name: "an instance that is kept by its uid",
    step: "keep",
    prepare: instanceAlone,
    walk: (context) => releaseOf(context, podOf("a"), true),
    kept: ["db"],
    again: (context) => releaseOf(context, podOf("a"), true),
  },
  {
    name: "an instance that is kept by its generations",
    step: "keep",
    prepare: instanceAlone,
    walk: keepAll,
    kept: ["db"],
    again: keepAll,
  },
  {
    name: "a kept instance that returns on the same host",
    step: "instance-return",
    prepare: keptInstance,
    walk: (context) => assign(context, instanceRequest(podOf("b"))),
    kept: ["db"],
    again: (context) => assign(context, instanceRequest(podOf("b"))),
  },
  {
    name: "a kept instance that returns on another host",
    step: "borrowed",
    prepare: keptInstance,
    walk: (context) => assign(context, instanceRequest(podOf("b"), NODE_2)),
    kept: ["db"],
    again: (context) => assign(context, instanceRequest(podOf("b"), NODE_2)),
  },
  {
    name: "an instance in use that another uid replaces on another host",
    step: "borrowed",
    prepare: instanceAlone,
    walk: (context) => assign(context, instanceRequest(podOf("b"), NODE_2)),
    kept: ["db"],
    again: (context) => assign(context, instanceRequest(podOf("c"))),
  },
  {
    name: "an instance that moves to another host under its uid",
    step: "borrowed",
    prepare: instanceAlone,
    walk: (context) => assign(context, instanceRequest(podOf("a"), NODE_2)),
    kept: ["db"],
    again: (context) => assign(context, instanceRequest(podOf("a"), NODE_2)),
  },
  {
    name: "a kept instance whose addresses do not fit the next uid",
    step: "instance-end",
    prepare: keptInstance,
    walk: (context) => assign(context, instanceRequest(podOf("b"), TWO)),
    kept: ["old"],
    again: (context) => assign(context, instanceRequest(podOf("b"), TWO)),
  },
  {
    name: "an instance of a kind that keeps nothing, which another uid replaces",
    step: "instance-end",
    prepare: instanceOfDeployment,
    walk: (context) => assign(context, instanceRequest(podOf("b", WEB))),
    kept: ["old"],
    again: (context) => assign(context, instanceRequest(podOf("b", WEB))),
  },
  {
    name: "an instance whose first assign was cut off, under another uid",
    step: "instance-fence",
    prepare: async (world) => {
      const told = await instanceAlone(world);
      await cutOffBefore("take-slots", world, (context) =>
        assign(context, instanceRequest(podOf("a", WEB))),
      );
      world.clock.nowMs += 20_000;
      return told;
    },
    walk: (context) => assign(context, instanceRequest(podOf("b", WEB))),
    kept: ["old", "db"],
    again: (context) => assign(context, instanceRequest(podOf("b", WEB))),
  },
  {
    name: "release of an instance by its uid",
    step: "instance-delete",
    prepare: instanceAlone,
    walk: (context) => releaseOf(context, podOf("a")),
    kept: ["old"],
    again: (context) => releaseOf(context, podOf("a")),
  },
  {
    name: "release of a kept instance by its uid",
    step: "instance-delete",
    prepare: keptInstance,
    walk: (context) => releaseOf(context, podOf("a")),
    kept: ["old"],
    again: (context) => assign(context, instanceRequest(podOf("b"))),
  },
  {
    name: "release of a kept instance by its generation",
    step: "mark-freed",
    prepare: keptInstance,
    walk: (context, told) => releaseDb(context, told, false),
    kept: ["old"],
    again: (context, told) => releaseDb(context, told, false),
  },
  {
    name: "release of both addresses of an instance by their generations",
    step: "instance-delete",
    prepare: async (world) => ({
      old: await assigned(world.calm, requestOf("old", 1)),
      db: await assigned(world.calm, instanceRequest(podOf("a"), TWO)),
    }),
    walk: (context, told) => releaseDb(context, told, false),
    kept: ["old"],
    again: (context) => releaseOf(context, podOf("a")),
  },
  {
    name: "repair of an instance whose release was cut off",
    step: "repair-released",
    prepare: async (world) => {
      const told = await instanceAlone(world);
      await cutOffBefore("free-slots", world, (context) => releaseOf(context, podOf("a")));
      world.clock.nowMs += 100_000;
      return told;
    },
    walk: repairAll,
    kept: ["old"],
    again: (context) => assign(context, instanceRequest(podOf("b"))),
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
    again: (context) => releaseHost(context, SPACE, "host:node-3"),
  },
];

/** Lets an operation die before one of its writes. */
async function cutOffBefore(
  step: string,
  { table, clock }: World,
  walk: (context: Context) => Promise<unknown>,
): Promise<void> {
  const cut = stoppedBefore(table, (name) => name === step);
  const dying = answerOf(walk(contextOver(cut.table, clock, 5)));
  await cut.stops;
  cut.end();
  await dying;
}

async function instanceAlone({ calm }: World) {
  const old = await assigned(calm, requestOf("old", 1));
  return { old, db: await assigned(calm, instanceRequest(podOf("a"))) };
}

async function keptInstance(world: World) {
  const told = await instanceAlone(world);
  await releaseOf(world.calm, podOf("a"), true);
  return told;
}

async function instanceOfDeployment({ calm }: World) {
  const old = await assigned(calm, requestOf("old", 1));
  await assigned(calm, instanceRequest(podOf("a", WEB)));
  return { old };
}

/** Keeps `db` for its next incarnation by its generations. */
export async function keepAll(context: Context, told: Readonly<Record<string, Assignment>>) {
  return releaseDb(context, told, true);
}

/** Releases the addresses of `db`, or keeps them, by their generations. */
async function releaseDb(
  context: Context,
  { db }: Readonly<Record<string, Assignment>>,
  keep: boolean,
) {
  const entries = (db?.addresses ?? []).flatMap(({ address, generation }) => {
    const parsed = parseGeneration(generation);
    return parsed.ok ? [{ address: addressOf(address), generation: parsed.value }] : [];
  });
  return releaseAddresses(context, SPACE, entries, keep);
}
