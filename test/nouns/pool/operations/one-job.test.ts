import { describe, expect, it } from "vitest";
import { JOB_KEPT_MS } from "../../../../src/base/limits.ts";
import { findViolations } from "../../../../src/invariants/invariants.ts";
import type { Context } from "../../../../src/kernel/core/context.ts";
import { runJobs } from "../../../../src/maintenance/run-jobs.ts";
import { jobFrom } from "../../../../src/nouns/job/item.ts";
import type { PoolJob } from "../../../../src/nouns/job/job.ts";
import { putPool } from "../../../../src/nouns/pool/operations/administration.ts";
import { deletePool, drainPool } from "../../../../src/nouns/pool/operations/pool-jobs.ts";
import type { Item } from "../../../../src/table/item.ts";
import { JOBS_PK } from "../../../../src/table/key.ts";
import type { Table } from "../../../../src/table/table.ts";
import { beforeEachCall } from "../../../each-call.ts";
import { withIntruder } from "../../../simulation/crash-points.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../../../world.ts";

/** An operator, a worker or a span of time that acts on a job of the pool. */
interface Party {
  readonly name: string;
  act(context: Context, world: World): Promise<unknown>;
}

const revisionIn = ({ store }: Context) =>
  store.readSpace(SPACE).then(({ pools }) => pools.find(({ name }) => name === "pool")?.revision);

const drainer: Party = {
  name: "an operator who drains the pool",
  act: async (context) => drainPool(context, SPACE, "pool", await revisionIn(context)),
};
const deleter: Party = {
  name: "an operator who deletes the pool",
  act: async (context) => deletePool(context, SPACE, "pool", await revisionIn(context)),
};
let changes = 0;
const changer: Party = {
  name: "an operator who changes the pool",
  act: async (context) => {
    // The cooldown differs each time, because a PUT of the current state writes nothing.
    const spec = { ...poolOf("10.0.0.0/29", 31), cooldownSeconds: ++changes };
    return putPool(context, SPACE, "pool", spec, await revisionIn(context));
  },
};
const worker: Party = { name: "a worker", act: (context) => runJobs(context) };

/** Returns a party that runs the worker `times` times, `waitMs` milliseconds apart. */
const workers = (name: string, times: number, waitMs: number): Party => ({
  name,
  act: async (_, { table, clock }) => {
    for (let n = 0; n < times; n++) {
      clock.nowMs += waitMs;
      await runJobs(contextOver(table, clock, 50 + n));
    }
  },
});

const WEEK_MS = JOB_KEPT_MS + 60_000;
const SLOW = [drainer, deleter, worker];
const QUICK = [
  drainer,
  deleter,
  changer,
  worker,
  workers("the workers, for ten minutes", 10, 60_000),
];

const inTurn = (...parties: readonly Party[]) => ({
  name: parties.map(({ name }) => name).join(", then ") || "nobody",
  prepare: async (world: World) => {
    for (const { act } of parties) await act(world.calm, world);
  },
});

/** A deletion that fails, because an operator changes the pool after the request. */
const failedDelete: Party = {
  name: "a delete that failed",
  act: async (context, world) => {
    const seen = await revisionIn(context);
    const { table, clock } = world;
    const own = contextOver(
      withIntruder(table, FIRST_CALL_AFTER_THE_LOOK, async () => {
        await changer.act(contextOver(table, clock, 40), world);
      }),
      clock,
      41,
    );
    expect(await deletePool(own, SPACE, "pool", seen)).toMatchObject({
      code: "precondition_failed",
    });
    expect(contentsIn(world).jobs).toMatchObject([{ state: "failed" }]);
  },
};
/** The index of the first call of a deletion after it has read the pool and its block-group index. */
const FIRST_CALL_AFTER_THE_LOOK = 2;
const aWeek: Party = {
  name: "a week",
  act: async (_, { clock }) => {
    clock.nowMs += WEEK_MS;
  },
};

const BEFORE = [
  inTurn(),
  inTurn(drainer),
  inTurn(deleter, worker),
  inTurn(drainer, workers("the workers, for two minutes", 2, 60_000), deleter),
  inTurn(failedDelete),
  inTurn(failedDelete, aWeek),
];

const MEETINGS = BEFORE.flatMap(({ name: before, prepare }) =>
  SLOW.flatMap((slow) =>
    QUICK.map(
      (quick) =>
        [
          `after ${before}: ${slow.name}, and in the middle of it ${quick.name}`,
          { prepare, slow, quick },
        ] as const,
    ),
  ),
).map(([name, meeting], number) => [name, { ...meeting, number }] as const);

describe("a job never goes back, and one that is over stays as it ended", () => {
  it.each(MEETINGS)("%s", async (_, { prepare, slow, quick, number }) => {
    await beforeEachCall(
      () => sceneOf(prepare),
      (context, { world }) => slow.act(context, world),
      (context, { world }) => quick.act(context, world),
      ({ world, complaints }, { where }) => {
        expect(complaints, where).toEqual([]);
        expect(findViolations(contentsIn(world)), where).toEqual([]);
      },
      { number, step: 3 },
    );
  });
});

/** Returns a world with an empty block, and a table that notes a complaint for every write that sets a job back. */
async function sceneOf(prepare: (world: World) => Promise<unknown>) {
  const world = await makeWorld();
  await releaseAll(world.calm, await assigned(world.calm, requestOf("gone", 2)));
  await prepare(world);
  const complaints: string[] = [];
  return { world, table: watching(world, complaints), clock: world.clock, complaints };
}

function watching(world: World, complaints: string[]): Table {
  const table = tableOf(world);
  return {
    ...table,
    write: async (write) => {
      if (write.key.pk !== JOBS_PK) return table.write(write);
      const before = await table.get(write.key);
      const outcome = await table.write(write);
      const after = await table.get(write.key);
      const complaint = before !== after && whatIsWrong(read(before), read(after));
      if (complaint) complaints.push(`${write.step}: ${complaint}`);
      return outcome;
    },
  };
}

const read = (item: Item | undefined) => item && (jobFrom(item) as PoolJob);

function whatIsWrong(before: PoolJob | undefined, after: PoolJob | undefined): string | undefined {
  if (!after) return before?.state === "running" ? "a job that runs is forgotten" : undefined;
  if (!before || before.state === "failed")
    return after.markedAtMs === undefined && after.state === "running"
      ? undefined
      : "a job does not begin at its beginning";
  if (before.state !== "running") return `a job that is ${before.state} becomes ${after.state}`;
  if (before.markedAtMs !== undefined && after.markedAtMs !== before.markedAtMs)
    return "its pool was marked, and is so no more";
  if (after.state === "running" && before.walk && isBehind(after, before.walk))
    return "its walk goes back";
  return undefined;
}

/** Tells whether a job's walk is behind an earlier one. A walk advances or ends, and the next one begins later. */
function isBehind({ walk, lastWalk }: PoolJob, before: NonNullable<PoolJob["walk"]>): boolean {
  if (!walk) return lastWalk === undefined;
  if (walk.beganAtMs !== before.beganAtMs) return walk.beganAtMs < before.beganAtMs;
  return walk.groups < before.groups;
}
