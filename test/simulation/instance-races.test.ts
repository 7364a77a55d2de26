import { describe, expect, it } from "vitest";
import { assign } from "../../src/allocator/assign/assign.ts";
import type { Assignment } from "../../src/allocator/assign/assignment.ts";
import type { Context } from "../../src/allocator/core/context.ts";
import { releaseHost } from "../../src/allocator/release/release-host.ts";
import { parseGeneration } from "../../src/domain/generation.ts";
import { findViolations } from "../../src/domain/invariants.ts";
import { instanceRequest, podOf, releaseOf } from "../instances.ts";
import { repairAll } from "../scheduled-runs.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
  type World,
} from "../world.ts";
import { expectEverythingAssignable, heldNow, isAssignment } from "./aftermath.ts";
import { answerOf, withIntruderAtWrite } from "./crash-points.ts";
import { keepAll } from "./instance-operations.ts";

type Walk = (context: Context, told: Assignment | undefined) => Promise<unknown>;

/** Two operations on one instance. The second begins and ends while the first pauses at one of its writes. */
interface Race {
  readonly first: string;
  readonly second: string;
  prepare?(world: World): Promise<Assignment>;
  readonly walks: readonly [first: Walk, second: Walk];
  /** The pause of the first before the second begins. */
  readonly waitMs?: number;
  /** The uid that has the addresses at the end, or one of the uids that may; none if the addresses are released. */
  readonly ends: readonly string[];
}

const NODE_2 = { host: "host:node-2" } as const;
const AUTHOR_MS = 20_000; // longer than any author may live
const GRACE_MS = 100_000;

const inUse = ({ calm }: World) => assigned(calm, instanceRequest(podOf("a")));
const kept = async (world: World) => {
  const told = await inUse(world);
  await releaseOf(world.calm, podOf("a"), true);
  return told;
};
const assigns =
  (uid: string, changes: Parameters<typeof instanceRequest>[1] = {}): Walk =>
  (context) =>
    assign(context, instanceRequest(podOf(uid), changes));
const keeps: Walk = (context) => releaseOf(context, podOf("a"), true);
const releases: Walk = (context) => releaseOf(context, podOf("a"));
const releasesByGeneration: Walk = (context, told) => releaseAll(context, told);
const keepsByGeneration: Walk = (context, told) => keepAll(context, told ? { db: told } : {});
const TWO = { wanted: [{ family: 4, count: 2 }] } as const;

const RACES: readonly Race[] = [
  {
    first: "the first assign of a uid",
    second: "one of another uid, later",
    walks: [assigns("a"), assigns("b", NODE_2)],
    waitMs: AUTHOR_MS,
    ends: ["b"],
  },
  {
    first: "the return of a uid",
    second: "that of another",
    prepare: kept,
    walks: [assigns("b", NODE_2), assigns("c")],
    ends: ["b", "c"],
  },
  {
    first: "the return of a uid",
    second: "the same request",
    prepare: kept,
    walks: [assigns("b", NODE_2), assigns("b", NODE_2)],
    ends: ["b"],
  },
  {
    first: "the replacement of a uid whose addresses do not fit",
    second: "that of another",
    prepare: inUse,
    walks: [assigns("b", TWO), assigns("c")],
    ends: ["b", "c"],
  },
  {
    first: "a keep",
    second: "the return of another uid",
    prepare: inUse,
    walks: [keeps, assigns("b", NODE_2)],
    ends: ["b"],
  },
  {
    first: "the return of another uid",
    second: "a keep",
    prepare: inUse,
    walks: [assigns("b", NODE_2), keeps],
    ends: ["b"],
  },
  {
    first: "a release",
    second: "the return of another uid",
    prepare: kept,
    walks: [releases, assigns("b", NODE_2)],
    ends: ["b"],
  },
  {
    first: "a release by generation",
    second: "the return of another uid",
    prepare: kept,
    walks: [releasesByGeneration, assigns("b", NODE_2)],
    ends: ["b"],
  },
  {
    first: "the return of another uid",
    second: "a release",
    prepare: kept,
    walks: [assigns("b", NODE_2), releases],
    ends: ["b"],
  },
  {
    first: "the return of another uid",
    second: "a release by generation",
    prepare: kept,
    walks: [assigns("b"), releasesByGeneration],
    ends: ["b"],
  },
  {
    first: "a release",
    second: "a keep",
    prepare: inUse,
    walks: [releases, keeps],
    ends: [],
  },
  {
    first: "a release",
    second: "a keep by generation",
    prepare: inUse,
    walks: [releases, keepsByGeneration],
    ends: [],
  },
  {
    first: "a keep",
    second: "a release by generation",
    prepare: inUse,
    walks: [keeps, releasesByGeneration],
    ends: [],
  },
  {
    first: "a release by host",
    second: "the return of another uid",
    prepare: inUse,
    walks: [(context) => releaseHost(context, SPACE, "host:node-1"), assigns("b", NODE_2)],
    ends: ["b"],
  },
  {
    first: "the repair run",
    second: "the return of another uid",
    prepare: kept,
    walks: [(context) => repairAll(context), assigns("b", NODE_2)],
    ends: ["b"],
  },
  {
    first: "the return of another uid",
    second: "the repair run",
    prepare: kept,
    walks: [assigns("b", NODE_2), (context) => repairAll(context)],
    waitMs: GRACE_MS,
    ends: ["b"],
  },
];

describe("I14: only the last incarnation of an instance acts on its addresses, when", () => {
  it.each(RACES.map((race) => [`${race.first} pauses, and ${race.second} comes`, race] as const))(
    "%s",
    async (_, race) => {
      let scenes = 0;
      for (const lost of [false, true])
        for (let at = 0; await comesIn(race, { at, lost }); at++) scenes++;
      expect(scenes).toBeGreaterThan(1);
    },
  );
});

/** Plays a race with the pause at one write of the first. @returns false if the first has no such write */
async function comesIn(
  { prepare, walks, waitMs = 0, ends }: Race,
  pause: { readonly at: number; readonly lost: boolean },
): Promise<boolean> {
  const world = await makeWorld();
  const { table, clock } = world;
  const old = await assigned(world.calm, { ...requestOf("old", 1), host: "host:node-3" });
  const told = await prepare?.(world);
  const where = JSON.stringify(pause);
  let came = false;
  let theirs: unknown;
  const slow = withIntruderAtWrite(table, pause, async () => {
    came = true;
    clock.nowMs += waitMs;
    theirs = await answerOf(walks[1](contextOver(table, clock, 7), told));
    expect(findViolations(contentsIn(world)), where).toEqual([]);
  });
  const ours = await answerOf(walks[0](contextOver(slow, clock, 2), told));
  if (!came) return false;
  expect(findViolations(contentsIn(world)), where).toEqual([]);
  expectTrue(world, [ours, theirs], ends, where);
  await scheduledRuns(world, 3);
  expect(findViolations(contentsIn(world), { quiet: true }), where).toEqual([]);
  expectTrue(world, [ours, theirs], ends, where);
  expect(heldNow(world, old), where).toBe(true);
  await expectEverythingAssignable(world, where);
  return true;
}

/** Expects that a uid which was answered last has the addresses, in the incarnation of its answer. */
function expectTrue(
  world: World,
  answers: readonly unknown[],
  ends: readonly string[],
  where: string,
): void {
  const [instance, second] = contentsIn(world).allocations.filter(({ workload }) => workload);
  expect(second, where).toBeUndefined();
  expect(instance !== undefined, where).toBe(ends.length > 0);
  if (!instance) return;
  const told = answers.filter(isAssignment);
  // A request that is older than a function can live gives up, and its caller repeats it.
  expect(instance.state, where).toBe(told.length > 0 ? "live" : "kept");
  if (told.length === 0) return;
  expect(ends, where).toContain(instance.workload?.uid);
  const last = told.find((answer) => incarnationOf(answer) === instance.workload?.incarnation);
  expect(last && heldNow(world, last), where).toBe(true);
}

function incarnationOf({ addresses }: Assignment): string | undefined {
  const generation = parseGeneration(addresses[0]?.generation ?? "");
  return generation.ok ? generation.value.instance?.incarnation : undefined;
}
