import { describe, expect, it } from "vitest";
import { amendAddress } from "../../src/allocator/admin/amend-address.ts";
import { liftQuarantine } from "../../src/allocator/admin/lift-quarantine.ts";
import { assign } from "../../src/allocator/assign/assign.ts";
import type { Assignment, AssignRequest } from "../../src/allocator/assign/assignment.ts";
import type { Context } from "../../src/allocator/core/context.ts";
import { runJobs } from "../../src/allocator/jobs/run-jobs.ts";
import { repairAllocation } from "../../src/allocator/maintenance/repair/allocation.ts";
import { allocationsOfNode } from "../../src/allocator/prefixes/allocations-of-node.ts";
import { releaseAddress } from "../../src/allocator/release/release-address.ts";
import { releaseHandle } from "../../src/allocator/release/release-handle.ts";
import { addressAt } from "../../src/domain/cidr.ts";
import { findViolations } from "../../src/domain/invariants.ts";
import { Rejection } from "../../src/domain/outcome.ts";
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
import { makeChild, releaseVpc, removeChild, withVpc } from "../child-pools.ts";
import { instanceRequest, podOf, releaseOf } from "../instances.ts";
import { ensure, free, putPrefixPools, tryEnsure } from "../prefixes.ts";
import { repairAll, work } from "../scheduled-runs.ts";
import {
  addressOf,
  assigned,
  contentsIn,
  contextOver,
  interfacesRequest,
  makeWorld,
  releaseAll,
  reportAll,
  requestOf,
  SPACE,
  scheduledRuns,
  type World,
} from "../world.ts";
import { expectEverythingAssignable, heldNow, isAssignment } from "./aftermath.ts";
import { withoutChild } from "./child-pool-operations.ts";
import { CILIUM_MEETINGS } from "./cilium-meetings.ts";
import { answerOf, stoppedBefore, withIntruderAtWrite } from "./crash-points.ts";
import { KEYED, withIndexed } from "./index-operations.ts";
import { type Place, placesFor } from "./places.ts";
import { from, HEIR, heldInRed, NARROW_RED, put, RED } from "./ranged-operations.ts";
import { oneIn } from "./sampled-calls.ts";

type Told = Readonly<Record<string, Assignment>>;
type Walk = (context: Context, told: Told, world: World) => Promise<unknown>;

/** Two operations on one resource, of which the first is slow. */
interface Meeting {
  readonly first: string;
  readonly second: string;
  prepare(world: World): Promise<Told>;
  readonly walks: readonly [first: Walk, second: Walk];
  /** The pause of the first before the second begins. */
  readonly waitMs: number;
  /** True if the other may release an address that one of them was assigned. */
  readonly givesBack?: boolean;
}

/** The step from a write of the second at which it stands still to the next. */
const STEP = oneIn(32);
const AUTHOR_MS = 20_000; // longer than any author may live
const GRACE_MS = 100_000;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

const limited: AssignRequest = { ...requestOf("vm", 2), limitPerHandle: 2 };
const leased: AssignRequest = { ...requestOf("vm", 2), leaseSeconds: 60 };
const twoInterfaces = interfacesRequest("keyed", undefined, "once");
const keyed = (count: number) => requestOf("keyed", count, "once");

const assigns =
  (request: AssignRequest): Walk =>
  (context) =>
    assign(context, request);
const collects: Walk = (context) => repairAll(context);
const releases =
  (handle: string): Walk =>
  (context) =>
    releaseHandle(context, SPACE, handle);

/** Renews the leases, and returns the answers. */
const renews: Walk = async (context, { vm }) => {
  for (const { address } of vm?.addresses ?? []) {
    const renewal = { address: addressOf(address), handle: "vm", leaseSeconds: 86_400 };
    if ((await amendAddress(context, SPACE, renewal)) instanceof Rejection) return undefined;
  }
  return vm;
};

/** Lets days pass with their scheduled runs, and uses the key again. */
const beginsAnew: Walk = async (context, _, world) => {
  await scheduledRuns(world, 2, DAY_MS);
  return assign(context, keyed(1));
};

const one = async ({ calm }: World): Promise<Told> => ({
  old: await assigned(calm, requestOf("old", 1)),
});

/** Cuts off an earlier execution of the request before this write. */
const cutOffBefore =
  (step: string, request: AssignRequest) =>
  async (world: World): Promise<Told> => {
    const told = await one(world);
    const cut = stoppedBefore(world.table, (name) => name === step);
    const walk = answerOf(assign(contextOver(cut.table, world.clock, 8), request));
    await cut.stops;
    cut.end();
    await walk;
    world.clock.nowMs += GRACE_MS;
    return told;
  };

const expired = async ({ calm, clock }: World): Promise<Told> => {
  const vm = await assigned(calm, leased);
  clock.nowMs += GRACE_MS;
  return { vm };
};

const releasedAgo =
  (waitMs: number) =>
  async (world: World): Promise<Told> => {
    const told = await one(world);
    const gone = await assigned(world.calm, keyed(1));
    await releaseAll(world.calm, gone);
    world.clock.nowMs += waitMs;
    return { ...told, gone };
  };

const goneOf =
  (request: AssignRequest) =>
  async (world: World): Promise<Told> => {
    const told = await one(world);
    return { ...told, gone: await assigned(world.calm, request) };
  };

const reportedAgo = async (world: World): Promise<Told> => {
  const told = await goneOf(requestOf("gone", 1))(world);
  await reportAll(world.calm, told.gone);
  return told;
};

const reportsGone: Walk = (context, { gone }) => reportAll(context, gone);
const releasesGone: Walk = (context, { gone }) => releaseAll(context, gone);
const liftsGone: Walk = async (context, { gone }) => {
  for (const { address } of gone?.addresses ?? [])
    await liftQuarantine(context, SPACE, addressOf(address));
};

const grows: Walk = (context) => hold(context, 6);
const cuts: Walk = (context) => putTeam(context);

const shrinks: Walk = (context) => hold(context, 1);
const takes: Walk = (context) => take(context);
const givesBack: Walk = (context) => releaseOf(context, webPod(1));

const LAST = podOf("a", { instance: "db-1" });
const lastInUse = async (world: World): Promise<Told> => {
  const told = await withSubnet(world);
  await hold(world.calm, 2, DB, 2);
  return { ...told, db: await assigned(world.calm, instanceRequest(LAST)) };
};
const keepsLast: Walk = (context) => releaseOf(context, LAST, true);
const shrinksSet: Walk = (context) => hold(context, 1, DB, 1);

/** Frees the address, and leaves its quota slot taken. */
const quotaSlotLeft = async (world: World): Promise<Told> => {
  const { calm, clock } = world;
  const told = await assigned(calm, limited);
  const [quotaSlot] = contentsIn(world).quotaSlots;
  await releaseAll(calm, told);
  if (quotaSlot) await calm.store.putQuotaSlot(quotaSlot, undefined);
  clock.nowMs += GRACE_MS;
  return one(world);
};

const leaving: AssignRequest = { ...from("new", 1, "red"), address: addressOf("10.9.0.5") };
const narrows: Walk = (context) => put(context, "red", NARROW_RED);
const inherits: Walk = (context) => put(context, "heir", HEIR);
const works: Walk = (context) => runJobs(context);

/** Narrows a pool, and gives the job its time before another pool wants what left. */
const narrowsWhole: Walk = async (context, _, world) => {
  await put(context, "red", NARROW_RED);
  await work(context, world.clock, 4);
  await put(context, "heir", HEIR);
};

/** Prepares a narrowed pool, so that the next run of the worker frees what left it. */
const narrowedAgo = async (world: World): Promise<Told> => {
  const told = await heldInRed(world);
  await put(world.calm, "red", NARROW_RED);
  await work(world.calm, world.clock, 1);
  world.clock.nowMs += GRACE_MS;
  return told;
};

/** What an instance does meets what an operator does to its application. */
const APPLICATION_AND_INSTANCE: readonly Meeting[] = (
  [
    ["an instance that takes an address", holding(2), takes],
    ["an instance that gives its address back", inUse(2), givesBack],
  ] as const
).flatMap(([instance, prepare, walk]) =>
  (
    [
      ["its application that gets smaller", shrinks],
      ["the deletion of its application", (context) => end(context)],
      ["its application that grows", grows],
      ["another instance that takes one", (context) => take(context, webPod(2))],
      ["the repair run", collects],
    ] as readonly (readonly [string, Walk])[]
  ).flatMap(([operator, other]): Meeting[] => [
    { first: instance, second: operator, prepare, walks: [walk, other], waitMs: 0 },
    { first: operator, second: instance, prepare, walks: [other, walk], waitMs: 0 },
  ]),
);

const KEEPS_AND_SHRINKS: readonly Meeting[] = [
  {
    first: "an instance that gives back what its application has too much",
    second: "its application that grows",
    prepare: fewer,
    walks: [givesBack, grows],
    waitMs: 0,
  },
  {
    first: "an instance that is kept",
    second: "its StatefulSet that has no replica for it any more",
    prepare: lastInUse,
    walks: [keepsLast, shrinksSet],
    waitMs: 0,
  },
  {
    first: "a StatefulSet that gets smaller",
    second: "the last instance that is kept",
    prepare: lastInUse,
    walks: [shrinksSet, keepsLast],
    waitMs: 0,
  },
  {
    first: "a StatefulSet that gets smaller",
    second: "the last instance that returns",
    prepare: keptByLast,
    walks: [shrinksSet, (context) => take(context, podOf("b", { instance: "db-1" }))],
    waitMs: 0,
  },
  {
    first: "a StatefulSet that gets smaller",
    second: "its growth",
    prepare: keptByLast,
    walks: [shrinksSet, (context) => hold(context, 2, DB, 2)],
    waitMs: 0,
  },
];

const STATED = ["10.64.1.0/24", "fd00:64:0:1::/64"];
const asks: Walk = (context) => tryEnsure(context, "node-1");
const states =
  (node = "node-1"): Walk =>
  (context) =>
    tryEnsure(context, node, { podCidrs: STATED });
/** Repairs what the node has, as a run of `repair` does. */
const repairs: Walk = async (context) => {
  const of = { space: SPACE, node: "node-1", uid: "a" };
  for (const allocation of await allocationsOfNode(context, of))
    await repairAllocation(context, allocation);
};
const frees: Walk = (context) => free(context, "node-1");

/** Adds pools of prefixes, and a node that has not stated what it got, or that has the prefixes that others state. */
const withNode =
  (said: object | undefined, waitMs = 0) =>
  async (world: World): Promise<Told> => {
    const told = await one(world);
    await putPrefixPools(world.calm);
    if (said) await ensure(world.calm, "node-1", said);
    world.clock.nowMs += waitMs;
    return told;
  };

/** Two requests about the prefixes of a node. */
/** Of a pool that is made of a prefix and a release of the prefix, one comes first. */
const CHILD_POOLS: readonly Meeting[] = [
  {
    first: "a pool that is made of a prefix",
    second: "a release of the prefix",
    prepare: withVpc,
    walks: [makeChild, releaseVpc],
    waitMs: 0,
  },
  {
    first: "a release of a prefix",
    second: "a pool that is made of it",
    prepare: withVpc,
    walks: [releaseVpc, makeChild],
    waitMs: 0,
  },
  {
    first: "a release of a prefix that is held for a pool that is gone",
    second: "a pool that is made of it",
    prepare: withoutChild,
    walks: [releaseVpc, makeChild],
    waitMs: 0,
  },
  {
    first: "a pool that is made of a prefix",
    second: "its deletion, and a release of the prefix",
    prepare: withVpc,
    walks: [
      makeChild,
      async (context) => {
        await removeChild(context);
        return releaseVpc(context);
      },
    ],
    waitMs: 0,
  },
];

const PREFIXES: readonly Meeting[] = [
  {
    first: "a request for prefixes",
    second: "the same request",
    prepare: withNode(undefined),
    walks: [asks, asks],
    waitMs: 0,
  },
  {
    first: "a request for prefixes",
    second: "a release of what the node has",
    prepare: withNode(undefined),
    walks: [asks, frees],
    waitMs: 0,
  },
  {
    first: "a release of the prefixes of a node",
    second: "a request for them",
    prepare: withNode({ podCidrs: STATED }),
    walks: [frees, asks],
    waitMs: 0,
  },
  {
    first: "a release of the prefixes of a node",
    second: "another node that states them",
    prepare: withNode({ podCidrs: STATED }),
    walks: [frees, states("node-2")],
    waitMs: 0,
  },
  {
    first: "a statement of prefixes",
    second: "that of another node",
    prepare: withNode(undefined),
    walks: [states(), states("node-2")],
    waitMs: 0,
  },
  {
    first: "a statement of other prefixes than those that the node got",
    second: "the repair run, when their lease is over",
    prepare: withNode({}, GRACE_MS),
    walks: [states(), repairs],
    waitMs: GRACE_MS,
  },
  {
    first: "the repair run, when a lease is over",
    second: "a request of its node",
    prepare: withNode({}, GRACE_MS),
    walks: [repairs, asks],
    waitMs: 0,
  },
];

const MEETINGS: readonly Meeting[] = [
  {
    first: "an assign",
    second: "a release by its handle",
    prepare: one,
    walks: [assigns(requestOf("new", 1)), releases("new")],
    waitMs: 0,
    givesBack: true,
  },
  {
    first: "an assign over several blocks",
    second: "the repair run",
    prepare: one,
    walks: [assigns(requestOf("new", 3)), collects],
    waitMs: GRACE_MS,
  },
  {
    first: "a keyed assign",
    second: "the same request",
    prepare: one,
    walks: [assigns(keyed(1)), assigns(keyed(1))],
    waitMs: AUTHOR_MS,
  },
  {
    first: "a keyed assign over several blocks",
    second: "the same request",
    prepare: one,
    walks: [assigns(keyed(3)), assigns(keyed(3))],
    waitMs: AUTHOR_MS,
  },
  {
    first: "a keyed assign with an indexed attribute",
    second: "the same request",
    prepare: withIndexed,
    walks: [assigns(KEYED), assigns(KEYED)],
    waitMs: AUTHOR_MS,
  },
  {
    first: "a keyed assign of two interfaces",
    second: "the same request",
    prepare: one,
    walks: [assigns(twoInterfaces), assigns(twoInterfaces)],
    waitMs: AUTHOR_MS,
  },
  {
    first: "the repair run of a keyed assign of two interfaces that was cut off",
    second: "the same request",
    prepare: cutOffBefore("pending-live", twoInterfaces),
    walks: [collects, assigns(twoInterfaces)],
    waitMs: AUTHOR_MS,
  },
  {
    first: "an assign under a limit",
    second: "another under the same limit",
    prepare: one,
    walks: [assigns(limited), assigns(limited)],
    waitMs: AUTHOR_MS,
  },
  {
    first: "a release by handle of a keyed request that was cut off",
    second: "the same request",
    prepare: cutOffBefore("take-slots", keyed(1)),
    walks: [releases("keyed"), assigns(keyed(1))],
    waitMs: 0,
    givesBack: true,
  },
  {
    first: "a release by handle of a keyed request over several blocks that was cut off",
    second: "the same request",
    prepare: cutOffBefore("pending-live", keyed(3)),
    walks: [releases("keyed"), assigns(keyed(3))],
    waitMs: AUTHOR_MS,
    givesBack: true,
  },
  {
    first: "the repair run of a keyed request that was cut off",
    second: "the same request",
    prepare: cutOffBefore("take-slots", keyed(1)),
    walks: [collects, assigns(keyed(1))],
    waitMs: 0,
  },
  {
    first: "the repair run of a keyed request over several blocks that was cut off",
    second: "the same request",
    prepare: cutOffBefore("pending-live", keyed(3)),
    walks: [collects, assigns(keyed(3))],
    waitMs: AUTHOR_MS,
  },
  {
    first: "the repair run of a key that was released",
    second: "the same request, days later",
    prepare: releasedAgo(GRACE_MS),
    walks: [collects, beginsAnew],
    waitMs: 0,
  },
  {
    first: "the repair run of a key that was released a day ago",
    second: "the same request, days later",
    prepare: releasedAgo(DAY_MS + GRACE_MS),
    walks: [collects, beginsAnew],
    waitMs: 0,
  },
  {
    first: "a release that comes again",
    second: "the same request, days later",
    prepare: releasedAgo(0),
    walks: [(context, { gone }) => releaseAll(context, gone), beginsAnew],
    waitMs: 0,
  },
  {
    first: "a conflict",
    second: "a release of the same address",
    prepare: goneOf(requestOf("gone", 1)),
    walks: [reportsGone, releasesGone],
    waitMs: 0,
  },
  {
    first: "a conflict of a keyed request",
    second: "a release of the same address",
    prepare: goneOf(keyed(1)),
    walks: [reportsGone, releasesGone],
    waitMs: 0,
  },
  {
    first: "a release of a keyed request",
    second: "a conflict of the same address",
    prepare: goneOf(keyed(1)),
    walks: [releasesGone, reportsGone],
    waitMs: 0,
  },
  {
    first: "a conflict of a keyed request",
    second: "the same conflict",
    prepare: goneOf(keyed(1)),
    walks: [reportsGone, reportsGone],
    waitMs: 0,
  },
  {
    first: "a conflict of an address that was released",
    second: "an assign of all there is",
    prepare: releasedAgo(0),
    walks: [reportsGone, assigns({ ...requestOf("all", 7), allowPartial: true })],
    waitMs: 20_000,
  },
  {
    first: "a lift of a quarantine",
    second: "an assign of all there is",
    prepare: reportedAgo,
    walks: [liftsGone, assigns({ ...requestOf("all", 7), allowPartial: true })],
    waitMs: 2 * HOUR_MS,
  },
  {
    first: "the repair run of a lease that has run out",
    second: "its renewal",
    prepare: expired,
    walks: [collects, renews],
    waitMs: 0,
  },
  {
    first: "a renewal of a lease that has run out",
    second: "the repair run",
    prepare: expired,
    walks: [renews, collects],
    waitMs: 0,
  },
  {
    first: "the repair run of a quota slot without an address",
    second: "a request under the same limit",
    prepare: quotaSlotLeft,
    walks: [collects, assigns(limited)],
    waitMs: 0,
  },
  {
    first: "a ranged pool that is narrowed",
    second: "an assign of what leaves it",
    prepare: heldInRed,
    walks: [narrows, assigns(leaving)],
    waitMs: 0,
  },
  {
    first: "an assign of what leaves a ranged pool",
    second: "the change that narrows it, with its job",
    prepare: heldInRed,
    walks: [assigns(leaving), narrowsWhole],
    waitMs: 0,
  },
  {
    first: "a ranged pool that is narrowed",
    second: "another that wants what leaves it",
    prepare: heldInRed,
    walks: [narrows, inherits],
    waitMs: 0,
  },
  {
    first: "a worker that frees what left a ranged pool",
    second: "another that wants it",
    prepare: narrowedAgo,
    walks: [works, inherits],
    waitMs: 0,
  },
  {
    first: "a worker that frees what left a ranged pool",
    second: "the pool takes it back",
    prepare: narrowedAgo,
    walks: [works, (context) => put(context, "red", RED)],
    waitMs: 0,
  },
  {
    first: "a ranged pool that is widened by what left another one",
    second: "the worker that frees it",
    prepare: narrowedAgo,
    walks: [inherits, works],
    waitMs: 0,
  },
  {
    first: "the growth of an application",
    second: "a pool that is cut out of its pool",
    prepare: leftWithOne,
    walks: [grows, cuts],
    waitMs: 0,
  },
  {
    first: "a pool that is cut out of a pool for applications",
    second: "the growth of an application",
    prepare: leftWithOne,
    walks: [cuts, grows],
    waitMs: 0,
  },
  {
    first: "the growth of an application",
    second: "its deletion",
    prepare: leftWithOne,
    walks: [grows, (context) => end(context)],
    waitMs: 0,
  },
  {
    first: "the growth of an application",
    second: "the repair run",
    prepare: leftWithOne,
    walks: [grows, collects],
    waitMs: GRACE_MS,
  },
  {
    first: "the deletion of an application",
    second: "its growth",
    prepare: leftWithOne,
    walks: [(context) => end(context), grows],
    waitMs: 0,
  },
  ...APPLICATION_AND_INSTANCE,
  ...KEEPS_AND_SHRINKS,
  ...PREFIXES,
  ...CHILD_POOLS,
  ...CILIUM_MEETINGS,
  {
    first: "the growth of an application",
    second: "that of another one",
    prepare: leftWithOne,
    walks: [grows, (context) => hold(context, 6, { ...WEB, name: "api" })],
    waitMs: 0,
  },
];

const COMES = [
  "and goes",
  "stands still as well",
  "is cut off, and the scheduled runs come by",
] as const;
const CASES = MEETINGS.flatMap((meeting) =>
  COMES.map((how) => {
    const { first, second } = meeting;
    return [`${first} stands still, ${second} comes, ${how}`, meeting, how] as const;
  }),
);

describe("no harm is done when", () => {
  it.each(CASES)("%s", async (_, meeting, how) => {
    let scenes = 0;
    for (const lost of [false, true])
      for (const place of placesFor(Number(lost)))
        for (let i = 0, came = true; came; i += oneIn(3))
          for (let j = firstOf(i, lost, how), stopped = true; stopped && came; j += STEP) {
            const scene = await play(meeting, place, { at: i, lost }, how, j);
            ({ came } = scene);
            stopped = scene.stopped && how !== "and goes";
            if (came) scenes++;
          }
    expect(scenes).toBeGreaterThan(0);
  });
});

describe("a request that is under way is answered, and whoever gives its addresses back by its handle is told so", () => {
  it.each([
    ["over several blocks", keyed(3)],
    ["of one address under a limit", { ...requestOf("vm", 1, "once"), limitPerHandle: 1 }],
  ])("%s", async (_, request) => {
    let told = 0;
    for (let at = 0, came = true; came; at++) {
      const world = await makeWorld();
      const { table, clock } = world;
      came = false;
      const slow = withIntruderAtWrite(table, { at, lost: false }, async () => {
        came = true;
        for (const address of takenIn(world)) {
          const release = { address, handle: request.handle };
          const answer = await releaseAddress(contextOver(table, clock, 7), SPACE, release);
          expect(answer).toMatchObject({ status: "conflict", code: "request_in_progress" });
          told++;
        }
      });
      const answer = await assigned(contextOver(slow, clock, 2), request);
      expect(heldNow(world, answer), `write ${at}`).toBe(true);
    }
    expect(told).toBeGreaterThan(0);
  });
});

const takenIn = (world: World) =>
  contentsIn(world).blocks.flatMap(({ cidr, slots }) =>
    [...slots].flatMap(([ordinal, { kind }]) =>
      kind === "taken" ? [addressAt(cidr, ordinal)] : [],
    ),
  );

/** Returns the first write of the second at which it stands still. A sample begins at another one in each case. */
const firstOf = (atFirst: number, lost: boolean, how: (typeof COMES)[number]) =>
  how === "and goes" ? 0 : (atFirst + (lost ? 2 : 0) + COMES.indexOf(how)) % STEP;

async function play(
  { prepare, walks, waitMs, givesBack }: Meeting,
  { under, over }: Place,
  atFirst: { readonly at: number; readonly lost: boolean },
  how: (typeof COMES)[number],
  atSecond: number,
) {
  const world = await makeWorld();
  const { table, clock } = world;
  const told = await prepare(world);
  const where = `${how}, under ${under}, at ${JSON.stringify(atFirst)} and ${atSecond}`;
  const expectNoViolations = (when: string) =>
    expect(findViolations(contentsIn(world)), `${when}: ${where}`).toEqual([]);

  const slower = stoppedBefore(table, (_, n) => how !== "and goes" && n === atSecond);
  let came = false;
  let stopped = false;
  let theirs: Promise<unknown> | undefined;
  const slow = withIntruderAtWrite(table, atFirst, async () => {
    came = true;
    clock.nowMs += waitMs;
    theirs = answerOf(walks[1](over(slower.table, clock, 7), told, world));
    stopped = await Promise.race([slower.stops.then(() => true), theirs.then(() => false)]);
    expectNoViolations("the second came");
    if (how !== "is cut off, and the scheduled runs come by" || !stopped) return;
    slower.end();
    await theirs;
    await scheduledRuns(world, 3);
    expectNoViolations("the scheduled runs came by");
  });
  const ours = await answerOf(walks[0](over(slow, clock, 2), told, world));
  expectNoViolations("the first is done");
  slower.goOn();
  const answers = [ours, await theirs].filter(isAssignment);
  expectNoViolations("the second is done");
  const expectHeld = () => {
    for (const answer of [told.old, ...(givesBack ? [] : answers)])
      expect(heldNow(world, answer), `${answer?.handle}: ${where}`).toBe(true);
  };
  expectHeld();
  await scheduledRuns(world, 3);
  expect(findViolations(contentsIn(world), { quiet: true }), where).toEqual([]);
  expectHeld();
  await expectEverythingAssignable(world, where);
  return { came, stopped };
}
