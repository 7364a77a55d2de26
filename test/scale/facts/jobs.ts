import { deletePool, drainPool } from "../../../src/allocator/jobs/pool-jobs.ts";
import { BLOCKS_PER_CELL, cellAt } from "../../../src/domain/block-group.ts";
import { hostId } from "../../../src/domain/host.ts";
import { Refusal } from "../../../src/domain/outcome.ts";
import type { Pool } from "../../../src/domain/pool.ts";
import { blockPk, poolKey } from "../../../src/store/key.ts";
import { cellCrowd, hostCrowd } from "../crowds.ts";
import type { Fact, Form } from "../fact.ts";
import { LambdaFunction } from "../lambda.ts";
import type { LargeTable } from "../large-table.ts";
import { minutesUntil, WORK } from "../runs.ts";
import { FIRST_FAILURE_STOPS_ALL, NO_JOB_GOES_ON } from "../sabotages.ts";
import { blockItem, mapPages, type NewCloud, poolOf, putSpace, rowItem } from "../scene.ts";

const SPACE = "default";
const BLOCKS_PER_HOST = 20;

/** A large pool goes as soon as a small one, but for what cannot be read. */
export function jobFacts(form: Form): readonly Fact[] {
  const cells = form === "full" ? 1_563 : 10;
  const blocks = cells * BLOCKS_PER_CELL;
  const [drained, deleted] = form === "full" ? [15, 15] : [4, 5];
  return [
    {
      name: `A pool of ${blocks} blocks is drained in ${drained} minutes, and one block that cannot be read stops nothing else`,
      size: `${blocks} empty blocks, one of them unreadable`,
      bound: drained,
      unit: "minutes",
      broken: FIRST_FAILURE_STOPS_ALL,
      async measure(newCloud: NewCloud) {
        const cloud = await newCloud();
        const pool = putEmptyPool(cloud.items, cells);
        const bad = cloud.items.partition(blockPk(SPACE, cellAt(pool, 3n)))?.all()[5];
        if (bad) cloud.items.put({ ...bad, f: 99 });
        return cloud.clock.run(async () => {
          await begun(new LambdaFunction(cloud), drainPool);
          const left = new Set(Array.from({ length: cells }, (_, i) => i));
          return minutesUntil(cloud, WORK, 60, () => {
            for (const cell of left) {
              const pk = blockPk(SPACE, cellAt(pool, BigInt(cell)));
              if ((cloud.items.partition(pk)?.size ?? 0) <= (cell === 3 ? 1 : 0)) left.delete(cell);
            }
            return left.size === 0;
          });
        });
      },
    },
    {
      name: `A pool of ${blocks} blocks is deleted in ${deleted} minutes`,
      size: `${blocks} empty blocks`,
      bound: deleted,
      unit: "minutes",
      broken: NO_JOB_GOES_ON,
      async measure(newCloud: NewCloud) {
        const cloud = await newCloud();
        putEmptyPool(cloud.items, cells);
        return cloud.clock.run(async () => {
          await begun(new LambdaFunction(cloud), deletePool);
          const isGone = () => cloud.items.get(poolKey(SPACE, "main")) === undefined;
          return minutesUntil(cloud, WORK, 60, isGone);
        });
      },
    },
  ];
}

/** A pool whose blocks are all claimed, and hold nothing. */
export function putEmptyPool(items: LargeTable, cells: number, perCell = BLOCKS_PER_CELL): Pool {
  const pool = poolOf(SPACE, "main", "10.0.0.0/8");
  putSpace(items, SPACE, [pool]);
  const blocks = cells * perCell;
  const hosts = Math.ceil(blocks / BLOCKS_PER_HOST);
  const cidrOf = (block: number) => ({
    ...pool.cidr,
    base:
      pool.cidr.base +
      BigInt(64 * (Math.floor(block / perCell) * BLOCKS_PER_CELL + (block % perCell))),
    prefix: 26,
  });
  const hostOf = (block: number) => hostId("host", `node-${Math.floor(block / BLOCKS_PER_HOST)}`);
  // Made once, since revisions are drawn: who reads a block twice must see the same.
  const standing = Array.from({ length: blocks }, (_, block) =>
    blockItem(pool, { cidr: cidrOf(block), host: hostOf(block) }),
  );
  const rows = Array.from({ length: blocks }, (_, block) =>
    rowItem(pool, hostOf(block), block % BLOCKS_PER_HOST, cidrOf(block)),
  );
  items.addCrowd(
    cellCrowd(pool, cells, (cell) => standing.slice(cell * perCell, (cell + 1) * perCell)),
  );
  items.addCrowd(
    hostCrowd(SPACE, hosts, (host) =>
      rows.slice(host * BLOCKS_PER_HOST, (host + 1) * BLOCKS_PER_HOST),
    ),
  );
  for (const page of mapPages(
    pool,
    Array.from({ length: cells }, (_, i) => BigInt(i)),
  ))
    items.put(page);
  return pool;
}

async function begun(lambda: LambdaFunction, begin: typeof drainPool): Promise<void> {
  const ended = await lambda.request((context) => begin(context, SPACE, "main", { match: "any" }));
  if (ended.ended !== "answered" || ended.value instanceof Refusal)
    throw new Error(`a job was not begun: ${JSON.stringify(ended)}`);
}
