import {
  BLOCKS_PER_GROUP,
  blocksOfGroup,
  groupAt,
  groupCount,
} from "../../../src/kernel/values/block-group.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import { blockPk, spaceKey } from "../../../src/table/key.ts";
import { EARLIER_MS, someId } from "../drawn.ts";
import type { Fact, Form } from "../fact.ts";
import type { Cloud } from "../lambda.ts";
import type { LargeTable } from "../large-table.ts";
import { minutesUntil, RECLAIM } from "../runs.ts";
import { FIRST_FAILURE_STOPS_ALL, NOTHING_DELETED, ROWS_OF_EVERY_BLOCK } from "../sabotages.ts";
import {
  affinityItem,
  blockItem,
  indexPages,
  namesOfOneShard,
  poolOf,
  putSpace,
} from "../scene.ts";
import { putLargeSpace } from "./spaces.ts";

const MILLION = 1_048_576;

/**
 * Returns the facts that every space gets its share of the reclaimer, whatever other spaces exist.
 */
export function reclaimedFacts(form: Form): readonly Fact[] {
  const large = form === "full" ? "64.0.0.0/6" : "10.0.0.0/14";
  const blocks = form === "full" ? 1_048_576 : 4_096;
  const spaces = form === "full" ? 10_000 : 200;
  return [
    {
      name: "The reclaimer goes through a space at a pace of a million blocks in 15 minutes",
      size: `${blocks} full blocks of 64 in a space`,
      bound: 15,
      unit: "minutes a million",
      broken: ROWS_OF_EVERY_BLOCK,
      async measure(newCloud) {
        const cloud = await newCloud();
        const pool = putLargeSpace(cloud.items, "large", large);
        const minutes = await cloud.clock.run(() =>
          minutesUntil(cloud, RECLAIM, 60, allRead(cloud, [pool])),
        );
        return (minutes * MILLION) / blocks;
      },
    },
    {
      name: "A block that was seen idle is reclaimed within two minutes, beside a space that cannot be read",
      size: `100 idle blocks, beside ${blocks} blocks in another space of the shard`,
      broken: FIRST_FAILURE_STOPS_ALL,
      bound: 2,
      unit: "minutes",
      async measure(newCloud) {
        const cloud = await newCloud();
        const [first = "", broken = "", last = ""] = namesOfOneShard();
        putLargeSpace(cloud.items, first, large);
        const small = putIdleSpace(cloud.items, last, 100);
        cloud.items.put({ ...spaceKey(broken), f: 99 });
        return cloud.clock.run(() => minutesUntil(cloud, RECLAIM, 10, isReclaimed(cloud, [small])));
      },
    },
    {
      name: "A block that was seen idle is reclaimed within two minutes",
      size: `${spaces} spaces of one block, beside ${blocks} blocks in another`,
      bound: 2,
      unit: "minutes",
      broken: NOTHING_DELETED,
      async measure(newCloud) {
        const cloud = await newCloud();
        putLargeSpace(cloud.items, "large", large);
        const all = Array.from({ length: spaces }, (_, i) => putIdleSpace(cloud.items, `vrf-${i}`));
        return cloud.clock.run(() => minutesUntil(cloud, RECLAIM, 4, isReclaimed(cloud, all)));
      },
    },
  ];
}

/**
 * Puts a space whose blocks were seen empty long ago, so that the next run of reclaim deletes them.
 */
function putIdleSpace(items: LargeTable, space: string, blocks = 1): Pool {
  const pool = poolOf(space, "main", "10.0.0.0/18");
  putSpace(items, space, [pool]);
  const idleSinceMs = EARLIER_MS;
  const groups = Array.from({ length: Math.ceil(blocks / BLOCKS_PER_GROUP) }, (_, i) => BigInt(i));
  const all = groups.flatMap((group) => blocksOfGroup(pool, groupAt(pool, group)));
  for (const [place, cidr] of all.slice(0, blocks).entries()) {
    items.put(blockItem(pool, { cidr, host: "host:node-0", idleSinceMs, revision: someId() }));
    items.put(affinityItem(pool, "host:node-0", place, cidr));
  }
  for (const page of indexPages(pool, groups)) items.put(page);
  return pool;
}

const groupsOf = (pool: Pool): readonly string[] =>
  Array.from({ length: Number(groupCount(pool)) }, (_, i) =>
    blockPk(pool.space, groupAt(pool, BigInt(i))),
  );

/** Returns true if every block group of the pools has been read. */
function allRead({ table }: Cloud, pools: readonly Pool[]): () => boolean {
  const left = new Set(pools.flatMap(groupsOf));
  return () => {
    for (const pk of left) if (table.capacity.of(pk).calls > 0) left.delete(pk);
    return left.size === 0;
  };
}

/** Returns true if the blocks of each space are gone. */
function isReclaimed({ table }: Cloud, pools: readonly Pool[]): () => boolean {
  const left = new Set(pools.flatMap(groupsOf));
  return () => {
    for (const pk of left) if (!table.items.partition(pk)?.size) left.delete(pk);
    return left.size === 0;
  };
}
