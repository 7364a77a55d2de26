import type { Context } from "../src/kernel/core/context.ts";
import { putPool } from "../src/nouns/pool/operations/administration.ts";
import type { PoolSpec } from "../src/nouns/pool/pool.ts";
import { releaseByHandle } from "../src/nouns/prefix/operations/release-by-handle.ts";
import { networkRequest } from "./network-request.ts";
import { putPrefixPools } from "./prefixes.ts";
import { sweepAll, work } from "./scheduled-runs.ts";
import { removePool } from "./simulation/pool-makers.ts";
import { assigned, cidrOf, contentsIn, poolOf, SPACE, type World } from "./world.ts";

/** Pools that are made of prefixes, in a world of a test. */

/** The prefix of the handle vpc, of which the pool child is made. */
export const VPC = "10.64.1.0/24";

const CHILD: PoolSpec = { ...poolOf(VPC, 26), parent: "v4" };

/** Adds pools of prefixes, of which a handle has one under its key. */
export async function withVpc({ calm }: World) {
  await putPrefixPools(calm);
  return {
    vpc: await assigned(calm, networkRequest("vpc", { specific: cidrOf(VPC), key: "key" })),
    old: await assigned(calm, networkRequest("old")),
  };
}

/** Makes the pool of the prefix. */
export const makeChild = (context: Context) => putPool(context, SPACE, "child", CHILD, undefined);

/** Releases the prefix of the handle. */
export const releaseVpc = (context: Context) =>
  releaseByHandle(context, { space: SPACE, handle: "vpc" });

export const removeChild = (context: Context) => removePool(context, "child");

/** Deletes the pools that are made of prefixes, of which nothing is assigned any more. */
export async function removeChildren(world: World): Promise<void> {
  const { pools } = contentsIn(world);
  const children = pools.filter(({ parentId }) => parentId !== undefined);
  if (children.length === 0) return;
  for (const { name } of children) await removePool(world.calm, name);
  await work(world.calm, world.clock, 8);
  await sweepAll(world.calm);
}
