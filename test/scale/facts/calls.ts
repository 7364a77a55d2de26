import { handleHash } from "../../../src/base/hash.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { Assignment } from "../../../src/kernel/assign/assignment.ts";
import {
  blocksOfGroup,
  groupAt,
  groupCount,
  groupIndexOf,
  groupOf,
} from "../../../src/kernel/values/block-group.ts";
import type { HostId } from "../../../src/kernel/values/host.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import { allocationPk, hostPk, SPACES_PK, spacePk } from "../../../src/table/key.ts";
import { MEASURED, type Measured } from "../../operations/measured.ts";
import { putHeld } from "../allocations.ts";
import { fullBlocks } from "../crowds.ts";
import { drafted } from "../drafts.ts";
import type { Fact, Form } from "../fact.ts";
import { type Cloud, LambdaFunction, type Sabotage } from "../lambda.ts";
import type { LargeTable } from "../large-table.ts";
import { callsOf, requestOf } from "../requests.ts";
import { walking } from "../sabotages.ts";
import { affinityItem, type LargeCloud, type NewCloud, poolOf, putSpace } from "../scene.ts";
import { putLargeSpace, someGroupsOf } from "./spaces.ts";

const SPACE = "default";
const HOST: HostId = "host:mine";
/** The handle that the operations name. */
const HANDLE = "mine";

/** A table in which host `mine` has a block with one assigned address and room for more. */
interface Scene {
  readonly cloud: Cloud;
  readonly pool: Pool;
}

interface Size {
  readonly size: string;
  /** The fault that each call waits for a walk through the large part of the table. */
  readonly broken: Sabotage;
  set(newCloud: NewCloud): Promise<Scene>;
}

/** Returns the facts that no operation needs more calls because something else is large. */
export function callFacts(form: Form): readonly Fact[] {
  return MEASURED.flatMap((operation) =>
    sizesOf(form).map(({ size, broken, set }) => ({
      name: `${operation.scale.fact} needs at most ${operation.scale.calls} calls`,
      size,
      bound: operation.scale.calls,
      unit: "calls",
      broken,
      async measure(newCloud) {
        const scene = await set(newCloud);
        return scene.cloud.clock.run(() => count(scene, operation));
      },
    })),
  );
}

/** Returns the number of calls of an operation, by a function that has served the host or has just started. */
async function count({ cloud, pool }: Scene, { prepare, act, scale }: Measured): Promise<number> {
  const ground = {
    pool,
    request: () => requestOf(SPACE, HOST),
    named: () => requestOf(SPACE, HOST, { handle: HANDLE }),
  };
  const first = new LambdaFunction(cloud);
  let before: Assignment | undefined;
  await callsOf(first, async (context) => {
    before = await prepare?.(context, ground);
  });
  const isWarm = scale.by === "a warm function";
  if (isWarm) await callsOf(first, (context) => assign(context, ground.request()));
  const lambda = isWarm ? first : new LambdaFunction(cloud);
  return callsOf(lambda, (context) => act(context, ground, before as Assignment));
}

function sizesOf(form: Form): readonly Size[] {
  const large = form === "full" ? "64.0.0.0/6" : "64.0.0.0/11";
  const [blocks, spaces, pools, hostBlocks, allocations] =
    form === "full" ? [1_048_576, 10_000, 2_000, 200, 10_000] : [32_768, 300, 100, 40, 300];
  return [
    {
      size: `${blocks} blocks in the space`,
      broken: walking("some block groups of the pool", someGroupsOf(poolOf(SPACE, "main", large))),
      set: (newCloud) => scene(newCloud, (cloud) => putLargeSpace(cloud.items, SPACE, large, 1)),
    },
    {
      size: `${spaces} spaces`,
      broken: walking("the register of spaces", [SPACES_PK]),
      set: (newCloud) =>
        scene(newCloud, (cloud) => {
          for (let i = 0; i < spaces; i++)
            putSpace(cloud.items, `vrf-${i}`, [poolOf(`vrf-${i}`, "main", "10.0.0.0/24")]);
          return putSmallSpace(cloud);
        }),
    },
    {
      size: `${pools} pools in the space`,
      broken: walking("the pools of the space", [spacePk(SPACE)]),
      set: (newCloud) => scene(newCloud, putPools(pools)),
    },
    {
      size: `a host with ${hostBlocks} blocks`,
      broken: walking("the places of the host", [hostPk(SPACE, HOST)]),
      set: (newCloud) => scene(newCloud, putSmallSpace, hostBlocks),
    },
    {
      size: `a handle with ${allocations} allocations`,
      broken: walking("the allocations of the handle", [allocationPk(SPACE, handleHash(HANDLE))]),
      set: (newCloud) =>
        scene(newCloud, (cloud) => {
          const pool = putSmallSpace(cloud);
          const indexes = Array.from({ length: Math.ceil(allocations / 64) }, (_, i) => i);
          for (const i of indexes) {
            const group = groupAt(pool, BigInt(32 + Math.floor(i / 64)));
            const [cidr] = blocksOfGroup(pool, group).slice(i % 64);
            if (!cidr) continue;
            const count = Math.min(64, allocations - 64 * i);
            const held = Array.from({ length: count }, () => ({ handle: HANDLE }));
            putHeld(cloud.items, pool, { cidr, host: `host:node-${i}` }, held);
          }
          return pool;
        }),
    },
  ];
}

/** Gives host `mine` this many blocks in a pool, all full but one. */
async function scene(
  newCloud: NewCloud,
  make: (cloud: LargeCloud) => Pool,
  hostBlocks = 1,
): Promise<Scene> {
  const cloud = await newCloud();
  const pool = make(cloud);
  // The last block groups, because the rest of the scene is in the first ones.
  const last = groupCount(pool) - 1n;
  const groups = [last, last - 1n, last - 2n, last - 3n].filter((group) => group >= 0n);
  const own = groups
    .flatMap((group) => blocksOfGroup(pool, groupAt(pool, group)))
    .slice(0, hostBlocks);
  const full = fullBlocks(pool);
  for (const [place, cidr] of own.entries()) {
    const affinity = affinityItem(pool, HOST, place, cidr);
    cloud.items.put(affinity);
    if (place === hostBlocks - 1)
      putHeld(cloud.items, pool, { cidr, host: HOST }, [{ handle: "somebody" }]);
    else {
      // The hint has the form that a request writes when it finds the block full.
      const hint = { space: SPACE, host: HOST, block: cidr, affinity: String(affinity.revision) };
      cloud.items.put(drafted((store) => store.callBlockFull(hint)));
      cloud.items.put({ ...full(cidr, HOST), calledFull: true });
    }
    enterGroup(cloud.items, pool, groupIndexOf(pool, groupOf(cidr)));
  }
  return { cloud, pool };
}

/** Adds a block group to the index of a pool, beside those that are in it. */
function enterGroup(items: LargeTable, { space, id }: Pool, group: bigint): void {
  const entered = drafted((store) => store.addGroup(space, id, group));
  items.put(drafted((store) => store.addGroup(space, id, group), items.get(entered)));
}

function putSmallSpace({ items }: LargeCloud): Pool {
  const pool = poolOf(SPACE, "main", "10.0.0.0/13");
  putSpace(items, SPACE, [pool], { maxBlocksPerHost: 1_000 });
  return pool;
}

const putPools =
  (count: number) =>
  ({ items }: LargeCloud): Pool => {
    const pools = Array.from({ length: count }, (_, i) =>
      poolOf(SPACE, `pool-${String(i).padStart(5, "0")}`, `10.${i >> 4}.${(i & 15) << 4}.0/20`),
    );
    putSpace(items, SPACE, pools);
    return pools.at(-1) as Pool;
  };
