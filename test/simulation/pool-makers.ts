import { Rejection } from "../../src/base/outcome.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { prefixHandle } from "../../src/kernel/values/handle.ts";
import type { Cidr } from "../../src/net/cidr.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import { deletePool } from "../../src/nouns/pool/operations/pool-jobs.ts";
import type { PoolSpec } from "../../src/nouns/pool/pool.ts";
import { releaseByHandle } from "../../src/nouns/prefix/operations/release-by-handle.ts";
import { networkRequest } from "../network-request.ts";
import { requestOf } from "./layers.ts";
import type { Nodes } from "./node-prefixes.ts";
import { chance, oneOf } from "./operators.ts";
import { assignNetwork } from "./prefix-owners.ts";
import { SPACE } from "./requests.ts";
import type { Life } from "./run.ts";

const POOLS = 3;

/**
 * Acts as the operator of clusters: it asks for a prefix under a handle, makes a pool of it, again at times, uses the pool, and deletes
 * it. It releases the prefix at any time, also beside the creation of the pool.
 */
export async function poolMaker(
  context: Context,
  life: Life,
  nodes: Nodes,
  name: string,
): Promise<void> {
  const { scheduler } = life;
  const trying = <T>(act: () => Promise<T>) => scheduler.trying(act);
  for (let n = 0; n < POOLS; n++) {
    await context.sleep(10_000 * context.random.fraction());
    const handle = `${name}-${n}`;
    const { name: parent, cidr } = oneOf(context, nodes.pools);
    const request = networkRequest(handle, { family: cidr.family, pools: [parent], key: "key" });
    const got = await trying(() => assignNetwork(context, life, nodes, request));
    if (!got) continue;
    const make = async () => {
      await context.sleep(5_000 * context.random.fraction());
      const made = await trying(() =>
        putPool(requestOf(context), SPACE, handle, specOf(got, parent), undefined),
      );
      const how = made instanceof Rejection ? made.code : made ? "done" : "unknown";
      scheduler.count(`pool made of a prefix: ${how}`);
    };
    const release = async () => {
      await context.sleep(5_000 * context.random.fraction());
      nodes.judge.endsAll(prefixHandle(handle));
      const released = await trying(() =>
        releaseByHandle(requestOf(context), { space: SPACE, handle }),
      );
      const how = released instanceof Rejection ? released.code : `${released?.released.length}`;
      scheduler.count(`prefix of a pool released: ${how}`);
      if (released instanceof Rejection) scheduler.count(`answer: ${released.code}`);
    };
    await Promise.all([make(), ...(chance(context, 0.4) ? [release()] : [])]);
    if (chance(context, 0.3)) await make();
    const pod: AssignRequest = {
      space: SPACE,
      host: "host:node-1",
      wanted: [{ family: cidr.family, count: 1 }],
      handle: `pod-of-${handle}`,
      attributes: {},
      pools: [handle],
      digest: "pod",
    };
    await trying(() => assign(requestOf(context), pod));
    if (chance(context, 0.5))
      await trying(() => releaseHandle(requestOf(context), SPACE, pod.handle));
    if (chance(context, 0.6)) await trying(() => removePool(context, handle));
    await context.sleep(60_000 * context.random.fraction());
    if (chance(context, 0.6)) await release();
  }
}

const specOf = (cidr: Cidr, parent: string): PoolSpec => ({
  cidr,
  parent,
  blockSize: cidr.family === 4 ? 26 : 122,
  disabled: false,
  assignmentMode: "Manual",
  allowedUses: ["Workload"],
  borrowing: "allowed",
});

/** Begins to delete a pool, unless it is gone. */
export async function removePool(context: Context, named: string): Promise<unknown> {
  const { pools } = await context.store.readSpace(SPACE);
  const pool = pools.find(({ name }) => name === named);
  return pool && deletePool(requestOf(context), SPACE, named, pool.revision);
}

/** Deletes the pools that are made of prefixes at the end of a run, after what was assigned of them is released. */
export async function retirePools(
  context: Context,
  scheduledRun: (waitMs: number) => Promise<void>,
): Promise<void> {
  const { pools } = await context.store.readSpace(SPACE);
  const children = pools.filter(({ parentId }) => parentId !== undefined);
  if (children.length === 0) return;
  for (const { name } of children) await removePool(context, name);
  for (let n = 0; n < 4; n++) await scheduledRun(100_000);
}
