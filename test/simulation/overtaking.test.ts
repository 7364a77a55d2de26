import { describe, expect, it } from "vitest";
import { findViolations } from "../../src/invariants/invariants.ts";
import type { Assignment } from "../../src/kernel/assign/assignment.ts";
import { releaseAddress } from "../../src/kernel/release/release-address.ts";
import { parseGeneration } from "../../src/kernel/values/generation.ts";
import { addressAt } from "../../src/net/cidr.ts";
import { keptOf, OPERATIONS, prepared, preparedAnew } from "../operations/catalogue.ts";
import { keyed } from "../operations/keyed-assigns.ts";
import type { Meeting, Operation } from "../operations/operation.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  deployedOver,
  makeWorld,
  requestOf,
  SPACE,
  scheduledRuns,
  type World,
} from "../world.ts";
import { expectEverythingAssignable, heldNow, isAssignment } from "./aftermath.ts";
import { answerOf, callsOf, stoppedBefore, withIntruderAtWrite } from "./crash-points.ts";
import { type Place, placesFor } from "./places.ts";
import { oneIn } from "./sampled-calls.ts";

/** The step from a write of the second at which it stands still to the next. */
const STEP = oneIn(48);

/** Two operations on one resource, of which the first is slow. */
interface Pair {
  readonly operation: Operation;
  readonly meeting: Meeting;
}

const ITSELF = "the same operation";

/** Every operation meets itself, and those that its entry names. */
const PAIRS: readonly Pair[] = OPERATIONS.flatMap((operation) =>
  [{ with: ITSELF, walk: operation.walk }, ...(operation.meets ?? [])].map((meeting) => ({
    operation,
    meeting,
  })),
);

const COMES = [
  "and goes",
  "stands still as well",
  "is cut off, and the scheduled runs come by",
] as const;
/** The interleavings let an operation meet itself and go, so here both stand still. */
const WITH_ITSELF = COMES.slice(1);

/** A sample has one of the ways of each pair, by turns, and each fourth of the operations that meet themselves. */
function waysOf({ meeting }: Pair, number: number): readonly (typeof COMES)[number][] {
  const isAlone = meeting.with === ITSELF;
  const ways = isAlone ? WITH_ITSELF : COMES;
  const one = oneIn(isAlone ? 4 * ways.length : ways.length);
  return ways.filter((_, way) => (way + number) % one === 0);
}

const CASES = PAIRS.flatMap((pair, number) =>
  waysOf(pair, number).map((how) => {
    const { operation, meeting } = pair;
    return [`${operation.name} stands still, ${meeting.with} comes, ${how}`, pair, how] as const;
  }),
);

describe("no harm is done when", () => {
  it.each(CASES)("%s", async (_, pair, how) => {
    let scenes = 0;
    for (const lost of [false, true])
      for (const place of placesFor(Number(lost)))
        for (let i = 0, came = true; came; i += stepOf(pair, how))
          for (let j = firstOf(i, lost, how), stopped = true; stopped && came; j += STEP) {
            const scene = await play(pair, place, { at: i, lost }, how, j);
            ({ came } = scene);
            stopped = scene.stopped && how !== "and goes";
            if (came) scenes++;
          }
    if (scenes === 0) expect(await writesOf(pair)).toEqual([]);
  });
});

/** Returns the steps of the writes of an operation alone. */
async function writesOf({ operation, meeting }: Pair): Promise<readonly string[]> {
  const { world, told } = await prepared(operation, meeting.prepare);
  const calls = await callsOf(world.table, (own) =>
    operation.walk(contextOver(own, world.clock, 2), told),
  );
  return calls.filter((call) => !READS.includes(call));
}

const READS = ["get", "query", "scan", "due"];

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

/** Returns the step from a write of the first at which it stands still to the next. */
const stepOf = ({ meeting }: Pair, how: (typeof COMES)[number]) =>
  meeting.ends && how === "and goes" ? 1 : oneIn(3);

/** Returns the first write of the second at which it stands still. A sample begins at another one in each case. */
const firstOf = (atFirst: number, lost: boolean, how: (typeof COMES)[number]) =>
  how === "and goes" ? 0 : (atFirst + (lost ? 2 : 0) + COMES.indexOf(how)) % STEP;

/**
 * Plays a pair once. The first function has just started if it works right over the store. Below all layers of a deployed one it
 * remembers the world, which it has made: what it remembers may be wrong by the time of its write.
 */
async function play(
  { operation, meeting }: Pair,
  { under, over }: Place,
  atFirst: { readonly at: number; readonly lost: boolean },
  how: (typeof COMES)[number],
  atSecond: number,
) {
  const remembers = over === deployedOver;
  const made = await (remembers ? preparedAnew : prepared)(operation, meeting.prepare);
  const { told } = made;
  const { table, clock } = made.world;
  // No other function waits for a call of the first, so that what it remembers is its own.
  const world = { ...made.world, calm: contextOver(table, clock) };
  const kept = meeting.prepare || meeting.ends ? [told.old] : keptOf(operation, told);
  const where = `${how}, under ${under}, at ${JSON.stringify(atFirst)} and ${atSecond}`;
  const expectNoViolations = (when: string) =>
    expect(findViolations(contentsIn(world)), `${when}: ${where}`).toEqual([]);

  const slower = stoppedBefore(table, (_, n) => how !== "and goes" && n === atSecond);
  let came = false;
  let stopped = false;
  let theirs: Promise<unknown> | undefined;
  const slow = withIntruderAtWrite(table, atFirst, async () => {
    came = true;
    clock.nowMs += meeting.waitMs ?? 0;
    theirs = answerOf(meeting.walk(over(slower.table, clock, 7), told, world));
    stopped = await Promise.race([slower.stops.then(() => true), theirs.then(() => false)]);
    expectNoViolations("the second came");
    if (how !== "is cut off, and the scheduled runs come by" || !stopped) return;
    slower.end();
    await theirs;
    await scheduledRuns(world, 3);
    expectNoViolations("the scheduled runs came by");
  });
  const own = over(slow, clock, 2);
  const context = remembers ? { ...own, cache: made.world.calm.cache } : own;
  const ours = await answerOf(operation.walk(context, told));
  if (!came) return { came, stopped };
  expectNoViolations("the first is done");
  slower.goOn();
  const answers = [ours, await theirs].filter(isAssignment);
  expectNoViolations("the second is done");
  if (meeting.with === ITSELF && operation.again === "the same answer")
    for (const answer of answers) expect(answer, where).toEqual(answers[0]);
  const isGivenBack = meeting.givesBack || meeting.ends !== undefined;
  const expectHeld = () => {
    for (const answer of [...kept, ...(isGivenBack ? [] : answers)])
      expect(heldNow(world, answer), `${answer?.handle}: ${where}`).toBe(true);
    if (how === "and goes" && meeting.ends) expectLast(world, answers, meeting.ends, where);
  };
  expectHeld();
  await scheduledRuns(world, 3);
  expect(findViolations(contentsIn(world), { quiet: true }), where).toEqual([]);
  expectHeld();
  await expectEverythingAssignable(world, where);
  return { came, stopped };
}

/** Expects that a uid which was answered last has the addresses, in the incarnation of its answer. */
function expectLast(
  world: World,
  told: readonly Assignment[],
  ends: readonly string[],
  where: string,
): void {
  const [instance, second] = contentsIn(world).allocations.filter(({ workload }) => workload);
  expect(second, where).toBeUndefined();
  expect(instance !== undefined, where).toBe(ends.length > 0);
  if (!instance) return;
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
