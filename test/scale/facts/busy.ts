import { shardOfSpace } from "../../../src/base/hash.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import { BLOCKS_PER_GROUP } from "../../../src/kernel/values/block-group.ts";
import { drainPool } from "../../../src/nouns/pool/operations/pool-jobs.ts";
import type { Form } from "../fact.ts";
import { LambdaFunction } from "../lambda.ts";
import { MEMORY_MB } from "../model.ts";
import { COLLECT, RECLAIM, type Schedule, scheduleOf, WORK } from "../runs.ts";
import type { LargeCloud, NewCloud } from "../scene.ts";
import { putLeases } from "./due.ts";
import { putEmptyPool } from "./jobs.ts";
import { SPACE } from "./layout.ts";
import { putAssignedSpace, putLargeSpace } from "./spaces.ts";

/** A schedule with more work than a run has time for. */
export interface BusySchedule {
  readonly size: string;
  readonly schedule: Schedule;
  set(newCloud: NewCloud): Promise<LargeCloud>;
}

/**
 * Returns a busy scene for each schedule. In the small form the functions have less memory, so a
 * smaller share of a processor, and less work keeps them as busy.
 */
export function busySchedules(form: Form): readonly BusySchedule[] {
  const [repair, work] = [COLLECT, WORK].map(([first]) => first);
  if (!repair || !work) throw new Error("a pass without a schedule");
  const isFull = form === "full";
  const blocks = isFull ? 1_048_576 : 16_384;
  const [addresses, perSecond] = isFull ? [262_144, 1_000] : [65_536, 10];
  const [groups, perGroup] = isFull ? [1_563, BLOCKS_PER_GROUP] : [200, 16];
  const of = (memoryMb: number) => (isFull ? "" : `, on ${memoryMb} MB`);
  const on = async (newCloud: NewCloud, memoryMb: number) => ({
    ...(await newCloud()),
    memoryMb: isFull ? MEMORY_MB : memoryMb,
  });
  return [
    {
      size: `reclaim, beside ${blocks} full blocks in a space${of(64)}`,
      schedule: scheduleOf(RECLAIM, shardOfSpace(SPACE)),
      async set(newCloud) {
        const cloud = await on(newCloud, 64);
        putLargeSpace(cloud.items, SPACE, isFull ? "64.0.0.0/6" : "64.0.0.0/12");
        return cloud;
      },
    },
    {
      size: `repair, with ${perSecond * 60} allocations due at once beside ${addresses} allocations${of(48)}`,
      schedule: repair,
      async set(newCloud) {
        const cloud = await on(newCloud, 48);
        const pool = putAssignedSpace(cloud.items, SPACE, "10.0.0.0/8", addresses);
        // The leases are in a space of their own, with other addresses.
        putLeases(cloud, { ...pool, space: "leased" }, perSecond, 1);
        await cloud.clock.run(() => cloud.clock.sleep(60_000));
        return cloud;
      },
    },
    {
      size: `work, with a pool of ${groups * perGroup} blocks to drain${of(160)}`,
      schedule: work,
      async set(newCloud) {
        const cloud = await on(newCloud, 160);
        putEmptyPool(cloud.items, groups, perGroup);
        const ended = await cloud.clock.run(() =>
          new LambdaFunction(cloud).request((context) =>
            drainPool(context, SPACE, "main", { match: "any" }),
          ),
        );
        if (ended.ended !== "answered" || ended.value instanceof Rejection)
          throw new Error("the job was not begun");
        return cloud;
      },
    },
  ];
}
