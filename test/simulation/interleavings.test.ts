import { describe, expect, it } from "vitest";
import { findViolations } from "../../src/invariants/invariants.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Assignment, AssignRequest } from "../../src/kernel/assign/assignment.ts";
import { disown } from "../../src/kernel/blocks/disown-block.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { parseGeneration } from "../../src/kernel/values/generation.ts";
import { isOfNode } from "../../src/kernel/values/handle.ts";
import { putReservation } from "../../src/nouns/pool/operations/administration.ts";
import { endCilium } from "../cilium.ts";
import { keptOf, NAMED, prepared } from "../operations/catalogue.ts";
import type { Operation, Told } from "../operations/operation.ts";
import { drain, firstPool, remove } from "../operations/pools.ts";
import { routers } from "../operations/resources.ts";
import { reclaimAll, repairAll, work } from "../scheduled-runs.ts";
import { contentsIn, requestOf, SPACE, scheduledRuns, type World } from "../world.ts";
import { expectEverythingAssignable, heldNow, isAssignment, withRetries } from "./aftermath.ts";
import { callsOf, withIntruder } from "./crash-points.ts";
import { placesFor } from "./places.ts";
import { callsToTry, oneIn } from "./sampled-calls.ts";

/** An operation that runs to its end while another one pauses before one of its calls. */
interface Intruder {
  readonly name: string;
  come(scene: Scene): Promise<unknown>;
}

interface Scene {
  readonly world: World;
  readonly operation: Operation;
  readonly told: Told;
  readonly context: Context;
}

const another = (count: number, more: Partial<AssignRequest> = {}) => ({
  ...requestOf("another", count),
  allowPartial: true,
  ...more,
});

const INTRUDERS: readonly Intruder[] = [
  {
    name: "the same operation",
    come: ({ operation, context, told }) => operation.walk(context, told),
  },
  {
    name: "a request of another handle",
    come: ({ context }) => assign(context, another(1)),
  },
  {
    name: "a request of another host that takes all there is",
    come: ({ context }) => assign(context, another(8, { host: "host:node-2" })),
  },
  {
    name: "a release by handle of all that may go",
    come: releaseWhatMayGo,
  },
  {
    name: "a release of all that may go, and a request that takes it as soon as it has cooled",
    come: async (scene) => {
      await releaseWhatMayGo(scene);
      scene.world.clock.nowMs += 8_000;
      return assign(scene.context, another(8));
    },
  },
  {
    name: "the scheduled runs, at once",
    come: async ({ context }) => {
      await reclaimAll(context);
      await repairAll(context);
    },
  },
  {
    name: "a quarter of an hour, with the scheduled runs in it",
    come: ({ world }) => scheduledRuns(world, 9),
  },
  {
    name: "a quarter of an hour, with the scheduled runs in it, and a request that takes all there is",
    come: async ({ world, context }) => {
      await scheduledRuns(world, 9);
      return assign(context, another(8));
    },
  },
  {
    name: "an operator who takes the blocks from their host",
    come: async ({ context }) => {
      for (const { block } of await context.store.listAffinities(SPACE, "host:node-1")) {
        const seen = await context.store.readBlock(SPACE, block);
        if (seen) await disown(context, seen);
      }
    },
  },
  {
    name: "a drain of the pool",
    come: async ({ context, world }) => {
      await drain(context);
      await work(world.calm, world.clock, 2);
    },
  },
  {
    name: "a delete of the pool, with the workers' time for it",
    come: async ({ context, world }) => {
      await remove(context);
      await work(world.calm, world.clock, 8);
    },
  },
  {
    name: "a new reservation",
    come: ({ context }) => putReservation(context, SPACE, "first", routers, undefined),
  },
  {
    name: "an operator who gives another space its first pool",
    come: ({ context }) => firstPool(context),
  },
];

/** Releases every address that the operation does not promise to keep. */
async function releaseWhatMayGo({ world, operation, told, context }: Scene): Promise<void> {
  const kept = keptOf(operation, told).map(({ handle }) => handle);
  const handles = new Set(contentsIn(world).allocations.map(({ handle }) => handle));
  for (const { name, uid } of contentsIn(world).ciliumReports) await endCilium(context, name, uid);
  for (const handle of handles)
    if (!kept.includes(handle) && !isOfNode(handle)) await releaseHandle(context, SPACE, handle);
}

/** In a sample each operation meets every fourth intruder, by turns. */
const STEP = oneIn(4);

describe.each(NAMED)("%s", (name, operation) => {
  const turn = NAMED.findIndex(([other]) => other === name);
  const first = turn % STEP;
  /** Numbers the cases through all operations of one turn, so that each intruder comes early and late. */
  const before = Math.floor(turn / STEP) * INTRUDERS.length;
  const intruders = INTRUDERS.map((intruder, number) => [intruder.name, intruder, number] as const);
  it.each(intruders.filter(([, , number]) => number % STEP === first))(
    "does and suffers no harm when %s comes in between",
    async (_, intruder, number) => {
      for (const { under, over } of placesFor(before + number)) {
        const { world, told } = await prepared(operation);
        const calls = await callsOf(world.table, (own) =>
          operation.walk(over(own, world.clock, 2), told),
        );
        for (const at of callsToTry(calls, before + number, oneIn(72))) {
          const { world, told } = await prepared(operation);
          const { table, clock } = world;
          const where = `under ${under}, before ${calls[at]} (call ${at})`;
          const expectNoViolations = (when: string) =>
            expect(findViolations(contentsIn(world)), `${when} ${where}`).toEqual([]);

          let theirs: unknown;
          const walk = withIntruder(table, at, async () => {
            const context = over(table, clock, 7);
            theirs = await withRetries(() => intruder.come({ world, operation, told, context }));
            expectNoViolations("came in");
            if (isAssignment(theirs)) expect(heldNow(world, theirs), where).toBe(true);
          });
          const ours = await withRetries(() => operation.walk(over(walk, clock, 2), told));
          expectNoViolations("went on");
          if (isAssignment(ours)) expect(heldNow(world, ours), `answered, ${where}`).toBe(true);
          if (isKeyed(ours) && isKeyed(theirs)) expect(ours.addresses).toEqual(theirs.addresses);

          await scheduledRuns(world, 3);
          expect(findViolations(contentsIn(world), { quiet: true }), where).toEqual([]);
          for (const kept of keptOf(operation, told))
            expect(heldNow(world, kept), `${where}: ${kept.handle}`).toBe(true);
          if (isAssignment(theirs) && theirs.handle === "another")
            expect(heldNow(world, theirs), `theirs, ${where}`).toBe(true);
          await expectEverythingAssignable(world, where);
        }
      }
    },
  );
});

/** Returns true for an answer to the one request under the one key. */
function isKeyed(answer: unknown): answer is Assignment {
  if (!isAssignment(answer) || answer.handle === "another") return false;
  const generation = parseGeneration(answer.addresses[0]?.generation ?? "");
  return generation.ok && generation.value.keyed;
}
