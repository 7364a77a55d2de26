import { blocksOfCell, cellAt, cellCount } from "../../../src/domain/cell.ts";
import { formatCidr } from "../../../src/domain/cidr.ts";
import type { Pool } from "../../../src/domain/pool.ts";
import { blockPk, spaceKey } from "../../../src/store/key.ts";
import type { Fact, Form } from "../fact.ts";
import type { Cloud } from "../lambda.ts";
import type { LargeTable } from "../large-table.ts";
import { minutesUntil, RECLAIM } from "../runs.ts";
import {
  AGE_MS,
  blockItem,
  mapPages,
  namesOfOneShard,
  newCloud,
  poolOf,
  putSpace,
  rowItem,
  someId,
} from "../scene.ts";
import { putLargeSpace } from "./spaces.ts";

/** Every space gets its share of the reclaimer, whatever stands beside it. */
export function reclaimedFacts(form: Form): readonly Fact[] {
  const large = form === "full" ? "64.0.0.0/6" : "10.0.0.0/13";
  const blocks = form === "full" ? 1_048_576 : 8_192;
  const spaces = form === "full" ? 10_000 : 200;
  return [
    {
      name: "The reclaimer goes through a space of a million blocks in 15 minutes",
      size: `${blocks} full blocks of 64 in a space`,
      bound: form === "full" ? 15 : 2,
      unit: "minutes",
      async measure(sabotage) {
        const cloud = await newCloud(sabotage);
        const pool = putLargeSpace(cloud.items, "large", large);
        return cloud.clock.run(() => minutesUntil(cloud, RECLAIM, 60, allRead(cloud, [pool])));
      },
    },
    {
      name: "A small space beside one of a million blocks waits at most two minutes for its reclaim",
      size: `an idle block beside ${blocks} blocks, and a space that cannot be read`,
      bound: 2,
      unit: "minutes",
      async measure(sabotage) {
        const cloud = await newCloud(sabotage);
        const [first = "", broken = "", last = ""] = namesOfOneShard();
        putLargeSpace(cloud.items, first, large);
        const small = putIdleSpace(cloud.items, last);
        cloud.items.put({ ...spaceKey(broken), f: 99 });
        return cloud.clock.run(() => minutesUntil(cloud, RECLAIM, 10, isReclaimed(cloud, [small])));
      },
    },
    {
      name: "An idle block is reclaimed within two minutes, however many spaces there are",
      size: `${spaces} spaces of one block`,
      bound: 2,
      unit: "minutes",
      async measure(sabotage) {
        const cloud = await newCloud(sabotage);
        const all = Array.from({ length: spaces }, (_, i) => putIdleSpace(cloud.items, `vrf-${i}`));
        return cloud.clock.run(() => minutesUntil(cloud, RECLAIM, 10, isReclaimed(cloud, all)));
      },
    },
  ];
}

/** A space with one block, which was seen empty long ago: the next look deletes it. */
function putIdleSpace(items: LargeTable, space: string): Pool {
  const pool = poolOf(space, "main", "10.0.0.0/24");
  putSpace(items, space, [pool]);
  const [cidr] = blocksOfCell(pool, cellAt(pool, 0n));
  if (!cidr) throw new Error(`${formatCidr(pool.cidr)} has no block`);
  const idleSinceMs = 1_700_000_000_000 - AGE_MS;
  items.put(blockItem(pool, { cidr, host: "host:node-0", idleSinceMs, revision: someId() }));
  items.put(rowItem(pool, "host:node-0", 0, cidr));
  for (const page of mapPages(pool, [0n])) items.put(page);
  return pool;
}

const cellsOf = (pool: Pool): readonly string[] =>
  Array.from({ length: Number(cellCount(pool)) }, (_, i) =>
    blockPk(pool.space, cellAt(pool, BigInt(i))),
  );

/** Has every cell of the pools been read? */
function allRead({ table }: Cloud, pools: readonly Pool[]): () => boolean {
  const left = new Set(pools.flatMap(cellsOf));
  return () => {
    for (const pk of left) if (table.capacity.of(pk).calls > 0) left.delete(pk);
    return left.size === 0;
  };
}

/** Has the one block of each space gone? */
function isReclaimed({ table }: Cloud, pools: readonly Pool[]): () => boolean {
  const left = new Set(pools.flatMap(cellsOf));
  return () => {
    for (const pk of left) if (table.items.partition(pk)?.size === 0) left.delete(pk);
    return left.size === 0;
  };
}
