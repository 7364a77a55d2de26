import { BLOCKS_PER_CELL, blocksOfCell, cellAt, cellCount } from "../../../src/domain/cell.ts";
import { type Cidr, formatCidr } from "../../../src/domain/cidr.ts";
import { hostId } from "../../../src/domain/host.ts";
import type { Pool } from "../../../src/domain/pool.ts";
import { shardOfSpace } from "../../../src/domain/shard.ts";
import { blockPk, spaceKey } from "../../../src/store/key.ts";
import type { Item } from "../../../src/store/table.ts";
import { cellCrowd, fullBlocks, hostCrowd } from "../crowds.ts";
import type { Fact, Form } from "../fact.ts";
import type { Cloud } from "../lambda.ts";
import type { LargeTable } from "../large-table.ts";
import { minutesUntil, RECLAIM } from "../runs.ts";
import {
  AGE_MS,
  blockItem,
  mapPages,
  newCloud,
  poolOf,
  putSpace,
  rowItem,
  someId,
} from "../scene.ts";

/** Blocks of a host in the large space. */
const BLOCKS_PER_HOST = 20;
const ADDRESSES_PER_BLOCK = 64;

/** Every space gets its share of the reclaimer, whatever stands beside it. */
export function reclaimedFacts(form: Form): readonly Fact[] {
  const large = form === "full" ? "64.0.0.0/6" : "10.0.0.0/11";
  const blocks = form === "full" ? 1_048_576 : 32_768;
  const spaces = form === "full" ? 10_000 : 500;
  return [
    {
      name: "The reclaimer goes through a space of a million blocks in 15 minutes",
      size: `${blocks} full blocks of 64 in a space`,
      bound: form === "full" ? 15 : 1,
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
        putLargeSpace(cloud.items, "large", large);
        const small = putIdleSpace(cloud.items, besides("large"));
        cloud.items.put({ ...spaceKey(besides("large", "broken")), f: 99 });
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

/** The name of a space that the same schedule goes through. */
function besides(space: string, name = "small"): string {
  for (let n = 0; ; n++)
    if (shardOfSpace(`${name}-${n}`) === shardOfSpace(space)) return `${name}-${n}`;
}

/** A space with one pool whose every block stands, full, each of a cell another host's. */
function putLargeSpace(items: LargeTable, space: string, cidr: string): Pool {
  const pool = poolOf(space, "main", cidr);
  const cells = Number(cellCount(pool));
  const hosts = Math.ceil((cells * BLOCKS_PER_CELL) / BLOCKS_PER_HOST);
  putSpace(items, space, [pool]);
  const full = fullBlocks(pool);
  const blockAt = (block: number): Cidr => ({
    ...pool.cidr,
    base: pool.cidr.base + BigInt(block * ADDRESSES_PER_BLOCK),
    prefix: pool.blockSize,
  });
  const blocksIn = (cell: number) =>
    Array.from({ length: BLOCKS_PER_CELL }, (_, i) => {
      const block = cell * BLOCKS_PER_CELL + i;
      return full(blockAt(block), hostId("host", `node-${block % hosts}`));
    });
  items.addCrowd(cellCrowd(pool, cells, blocksIn));
  const rowsOf = (host: number): Item[] =>
    Array.from({ length: BLOCKS_PER_HOST }, (_, place) => host + place * hosts)
      .filter((block) => block < cells * BLOCKS_PER_CELL)
      .map((block, place) => rowItem(pool, hostId("host", `node-${host}`), place, blockAt(block)));
  items.addCrowd(hostCrowd(space, hosts, rowsOf));
  const indexes = Array.from({ length: cells }, (_, i) => BigInt(i));
  for (const page of mapPages(pool, indexes, () => true)) items.put(page);
  return pool;
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
