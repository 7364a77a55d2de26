import { describe, expect, it } from "vitest";
import { Rejection } from "../../src/base/outcome.ts";
import { findViolations } from "../../src/invariants/invariants.ts";
import type { Written } from "../../src/kernel/core/written.ts";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import type { Accepted } from "../../src/nouns/pool/operations/pool-jobs.ts";
import { beforeEachCall } from "../each-call.ts";
import { type Answer, RESOURCES, type Resource, seenBy } from "../operations/resources.ts";
import { contentsIn, contextOver, makeWorld } from "../world.ts";

const PAIRS = RESOURCES.flatMap((resource) =>
  resource.changes.flatMap((slow) =>
    resource.changes.map(
      (quick) =>
        [
          `${resource.name}: ${slow.name}, and in the middle of it ${quick.name}`,
          { resource, slow, quick },
        ] as const,
    ),
  ),
).map(([name, pair], number) => [name, { ...pair, number }] as const);

describe("of two operators who act on what they saw, one is told that it changed meanwhile", () => {
  it.each(PAIRS)("%s", async (_, { resource, slow, quick, number }) => {
    await beforeEachCall(
      () => sceneOf(resource),
      (context, { seen }) => slow.make(context, seen),
      (context, { seen }) => quick.make(context, seen),
      async ({ world }, { ours, theirs, where }) => {
        const told = [
          ...(isDone(theirs) ? [{ answer: theirs, change: quick }] : []),
          ...(isDone(ours) ? [{ answer: ours, change: slow }] : []),
        ];
        // A repeated request gets the one job, or the existing state.
        expect(new Set(told.map(({ answer }) => writeOf(answer))).size, where).toBe(1);
        const leaves = told[0]?.change.leaves;
        expect(await resource.read(world.calm), where).toMatchObject(leaves as object);

        world.clock.nowMs += 60_000;
        expect(await runJobs(contextOver(world.table, world.clock, 4))).toMatchObject({
          failures: [],
        });
        expect(await resource.read(world.calm), `${where}, later`).toMatchObject(leaves as object);
        expect(findViolations(contentsIn(world)), where).toEqual([]);
      },
      { number, step: 3 },
    );
  });
});

/** Identifies a write: by its job, or by the revision that it left. */
const writeOf = (answer: Written<unknown> | Accepted): unknown =>
  "job" in answer ? answer.job.id : ((answer.value as Revised | undefined)?.revision ?? answer);

interface Revised {
  readonly revision: string;
}

async function sceneOf(resource: Resource) {
  const world = await makeWorld();
  await resource.make?.(world.calm);
  return { ...world, world, seen: await seenBy(resource, world.calm) };
}

function isDone(answer: Answer | undefined): answer is Written<unknown> | Accepted {
  if (answer === undefined || answer instanceof Rejection) return false;
  return !("job" in answer) || answer.job.state === "running" || answer.job.state === "done";
}
