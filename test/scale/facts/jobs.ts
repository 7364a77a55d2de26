import { Rejection } from "../../../src/base/outcome.ts";
import { BLOCKS_PER_GROUP, groupAt } from "../../../src/kernel/values/block-group.ts";
import { hostId } from "../../../src/kernel/values/host.ts";
import { deletePool, drainPool } from "../../../src/nouns/pool/operations/pool-jobs.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import { blockPk, poolKey } from "../../../src/table/key.ts";
import { groupCrowd, hostCrowd } from "../crowds.ts";
import type { Fact, Form } from "../fact.ts";
import { LambdaFunction } from "../lambda.ts";
import type { LargeTable } from "../large-table.ts";
import { minutesUntil, WORK } from "../runs.ts";
import { FIRST_FAILURE_STOPS_ALL, NOTHING_DELETED } from "../sabotages.ts";
import { affinityItem, blockItem, indexPages, type NewCloud, poolOf, putSpace } from "../scene.ts";

const SPACE = "default";
const BLOCKS_PER_HOST = 20;

/**
 * Returns the facts that a large pool is deleted as soon as a small one, apart from unreadable
 * items.
 */
export function jobFacts(form: Form): readonly Fact[] {
  const groups = form === "full" ? 1_563 : 10;
  const blocks = groups * BLOCKS_PER_GROUP;
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
        const pool = putEmptyPool(cloud.items, groups);
        const bad = cloud.items.partition(blockPk(SPACE, groupAt(pool, 3n)))?.all()[5];
        if (bad) cloud.items.put({ ...bad, f: 99 });
        return cloud.clock.run(async () => {
          await begun(new LambdaFunction(cloud), drainPool);
          const left = new Set(Array.from({ length: groups }, (_, i) => i));
          return minutesUntil(cloud, WORK, 60, () => {
            for (const group of left) {
              const pk = blockPk(SPACE, groupAt(pool, BigInt(group)));
              if ((cloud.items.partition(pk)?.size ?? 0) <= (group === 3 ? 1 : 0))
                left.delete(group);
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
      broken: NOTHING_DELETED,
      async measure(newCloud: NewCloud) {
        const cloud = await newCloud();
        putEmptyPool(cloud.items, groups);
        return cloud.clock.run(async () => {
          await begun(new LambdaFunction(cloud), deletePool);
          const isGone = () => cloud.items.get(poolKey(SPACE, "main")) === undefined;
          return minutesUntil(cloud, WORK, 60, isGone);
        });
      },
    },
  ];
}

/** Puts a pool whose blocks are all claimed and empty. */
export function putEmptyPool(items: LargeTable, groups: number, perGroup = BLOCKS_PER_GROUP): Pool {
  const pool = poolOf(SPACE, "main", "10.0.0.0/8");
  putSpace(items, SPACE, [pool]);
  const blocks = groups * perGroup;
  const hosts = Math.ceil(blocks / BLOCKS_PER_HOST);
  const cidrOf = (block: number) => ({
    ...pool.cidr,
    base:
      pool.cidr.base +
      BigInt(64 * (Math.floor(block / perGroup) * BLOCKS_PER_GROUP + (block % perGroup))),
    prefix: 26,
  });
  const hostOf = (block: number) => hostId("host", `node-${Math.floor(block / BLOCKS_PER_HOST)}`);
  // The blocks are made once, because revisions are drawn, and two reads of a block must return the
  // same.
  const current = Array.from({ length: blocks }, (_, block) =>
    blockItem(pool, { cidr: cidrOf(block), host: hostOf(block) }),
  );
  const affinities = Array.from({ length: blocks }, (_, block) =>
    affinityItem(pool, hostOf(block), block % BLOCKS_PER_HOST, cidrOf(block)),
  );
  items.addCrowd(
    groupCrowd(pool, groups, (group) => current.slice(group * perGroup, (group + 1) * perGroup)),
  );
  items.addCrowd(
    hostCrowd(SPACE, hosts, (host) =>
      affinities.slice(host * BLOCKS_PER_HOST, (host + 1) * BLOCKS_PER_HOST),
    ),
  );
  for (const page of indexPages(
    pool,
    Array.from({ length: groups }, (_, i) => BigInt(i)),
  ))
    items.put(page);
  return pool;
}

async function begun(lambda: LambdaFunction, begin: typeof drainPool): Promise<void> {
  const ended = await lambda.request((context) => begin(context, SPACE, "main", { match: "any" }));
  if (ended.ended !== "answered" || ended.value instanceof Rejection)
    throw new Error(`a job was not begun: ${JSON.stringify(ended)}`);
}
