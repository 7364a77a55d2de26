import { amendAddress } from "../../../src/allocator/admin/amend-address.ts";
import { liftQuarantine } from "../../../src/allocator/admin/lift-quarantine.ts";
import { reserve } from "../../../src/allocator/admin/reserve.ts";
import type { AssignRequest } from "../../../src/allocator/assign/assignment.ts";
import { ensureBlocks } from "../../../src/allocator/assign/ensure-blocks.ts";
import type { Context } from "../../../src/allocator/core/context.ts";
import { listBlocks } from "../../../src/allocator/read/list-blocks.ts";
import { readAddress } from "../../../src/allocator/read/read-address.ts";
import { utilization } from "../../../src/allocator/read/utilization.ts";
import { releaseAddress } from "../../../src/allocator/release/release-address.ts";
import { releaseHandle } from "../../../src/allocator/release/release-handle.ts";
import { releaseHost } from "../../../src/allocator/release/release-host.ts";
import { reportConflict } from "../../../src/allocator/release/report-conflict.ts";
import {
  blocksOfGroup,
  groupAt,
  groupCount,
  groupIndexOf,
  groupOf,
} from "../../../src/domain/block-group.ts";
import { formatCidr, intervalOf } from "../../../src/domain/cidr.ts";
import { handleHash } from "../../../src/domain/hash.ts";
import type { HostId } from "../../../src/domain/host.ts";
import type { Pool } from "../../../src/domain/pool.ts";
import { allocationPk, hostPk, SPACES_PK, spacePk } from "../../../src/store/key.ts";
import { addressesShown, tryPutCilium } from "../../cilium-requests.ts";
import { putHeld } from "../allocations.ts";
import { fullBlocks } from "../crowds.ts";
import { drafted } from "../drafts.ts";
import type { Fact, Form } from "../fact.ts";
import { type Cloud, LambdaFunction, type Sabotage } from "../lambda.ts";
import type { LargeTable } from "../large-table.ts";
import { addressIn, callsOf, expectServed, requestOf } from "../requests.ts";
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

const TWO_INTERFACES: Partial<AssignRequest> = {
  wanted: ["eth0", "net1"].map((name) => ({ family: 4, count: 1, interface: name })),
  interfaces: ["eth0", "net1"].map((name) => ({ name, pools: [] })),
};

interface Size {
  readonly size: string;
  /** The fault that each call waits for a walk through the large part of the table. */
  readonly broken: Sabotage;
  set(newCloud: NewCloud): Promise<Scene>;
}

/** A request of a caller, and the maximum number of calls to the table for it. */
interface Operation {
  readonly operation: string;
  readonly calls: number;
  /** Returns the number of calls that were made for it. */
  count(scene: Scene): Promise<number>;
}

/** Returns the facts that no operation needs more calls because something else is large. */
export function callFacts(form: Form): readonly Fact[] {
  return OPERATIONS.flatMap(({ operation, calls, count }) =>
    sizesOf(form).map(({ size, broken, set }) => ({
      name: `${operation} needs at most ${calls} calls`,
      size,
      bound: calls,
      unit: "calls",
      broken,
      async measure(newCloud) {
        const scene = await set(newCloud);
        return scene.cloud.clock.run(() => count(scene));
      },
    })),
  );
}

const OPERATIONS: readonly Operation[] = [
  {
    operation: "An assign by a function that knows the host's block",
    calls: 2,
    count: async ({ cloud }) => {
      const lambda = new LambdaFunction(cloud);
      await assigned(lambda);
      return (await assigned(lambda)).calls;
    },
  },
  {
    operation: "An assign by a function that has just started",
    calls: 6,
    count: async ({ cloud }) => (await assigned(new LambdaFunction(cloud))).calls,
  },
  {
    operation: "An assign of two interfaces by a function that knows the host's block",
    calls: 4,
    count: async ({ cloud }) => {
      const lambda = new LambdaFunction(cloud);
      await assigned(lambda);
      return (await assigned(lambda, TWO_INTERFACES)).calls;
    },
  },
  {
    operation: "An assign with a limit per handle",
    calls: 9,
    count: async ({ cloud }) =>
      (await assigned(new LambdaFunction(cloud), { handle: HANDLE, limitPerHandle: 2 })).calls,
  },
  {
    operation: "A release by address and generation",
    calls: 2,
    count: async ({ cloud }) => {
      const { value } = await assigned(new LambdaFunction(cloud));
      const { address, generation } = addressIn(value);
      return calls(cloud, (context) => releaseAddress(context, SPACE, { address, generation }));
    },
  },
  {
    operation: "A report of a conflict",
    calls: 4,
    count: async ({ cloud }) => {
      const { value } = await assigned(new LambdaFunction(cloud));
      const { address, generation } = addressIn(value);
      return calls(cloud, (context) => reportConflict(context, SPACE, { address, generation }));
    },
  },
  {
    operation: "The lift of a quarantine",
    calls: 5,
    count: async ({ cloud }) => {
      const lambda = new LambdaFunction(cloud);
      const { value } = await assigned(lambda);
      const { address, generation } = addressIn(value);
      await calls(cloud, (context) => reportConflict(context, SPACE, { address, generation }));
      return calls(cloud, (context) => liftQuarantine(context, SPACE, address));
    },
  },
  {
    operation: "A release by address and handle",
    calls: 6,
    count: async ({ cloud }) => {
      const { value } = await assigned(new LambdaFunction(cloud), { handle: HANDLE });
      const { address } = addressIn(value);
      return calls(cloud, (context) => releaseAddress(context, SPACE, { address, handle: HANDLE }));
    },
  },
  {
    operation: "A release by a handle of one allocation",
    calls: 4,
    count: async ({ cloud }) => {
      const { value } = await assigned(new LambdaFunction(cloud));
      return calls(cloud, (context) => releaseHandle(context, SPACE, value.handle));
    },
  },
  {
    operation: "A release by a host that has one address",
    calls: 8,
    count: async ({ cloud }) => {
      const asked = requestOf(SPACE, "host:guest", { handle: HANDLE });
      await expectServed(new LambdaFunction(cloud), asked);
      return calls(cloud, (context) => releaseHost(context, SPACE, "host:guest"));
    },
  },
  {
    operation: "A read of an address",
    calls: 4,
    count: async ({ cloud }) => {
      const { value } = await assigned(new LambdaFunction(cloud), { handle: HANDLE });
      const { address } = addressIn(value);
      return calls(cloud, (context) => readAddress(context, SPACE, address));
    },
  },
  {
    operation: "An assign that claims a block",
    calls: 11,
    count: async ({ cloud }) =>
      (await expectServed(new LambdaFunction(cloud), requestOf(SPACE, "host:new"))).calls,
  },
  {
    operation: "A first block for a host",
    calls: 9,
    count: ({ cloud }) =>
      calls(cloud, (context) =>
        ensureBlocks(context, { space: SPACE, host: "host:new", families: [4], pools: [] }),
      ),
  },
  {
    operation: "A PUT of a CiliumNode that gets an address",
    calls: 12,
    count: ({ cloud }) =>
      calls(cloud, (context) => tryPutCilium(context, "mine", addressesShown(1, { spare: 1 }))),
  },
  {
    operation: "A PUT of a CiliumNode with nothing new",
    calls: 6,
    count: async ({ cloud }) => {
      const put = (context: Context) =>
        tryPutCilium(context, "mine", addressesShown(1, { spare: 1 }));
      await calls(cloud, put);
      return calls(cloud, put);
    },
  },
  {
    operation: "A change of a lease",
    calls: 7,
    count: async ({ cloud }) => {
      const { value } = await assigned(new LambdaFunction(cloud), {
        handle: HANDLE,
        leaseSeconds: 60,
      });
      const { address } = addressIn(value);
      const change = { address, handle: HANDLE, leaseSeconds: 60 };
      return calls(cloud, (context) => amendAddress(context, SPACE, change));
    },
  },
  {
    operation: "A page of 100 blocks of a pool's utilization",
    calls: 5,
    count: ({ cloud, pool }) =>
      calls(cloud, (context) =>
        utilization(context, { space: SPACE, name: pool.name, limit: 100 }),
      ),
  },
  {
    operation: "A reservation of a block",
    calls: 9,
    count: ({ cloud, pool }) => {
      const cidr = { ...pool.cidr, prefix: pool.blockSize };
      const reservation = { cidrs: [formatCidr(cidr)], intervals: [intervalOf(cidr)] };
      return calls(cloud, (context) =>
        reserve(context, SPACE, "web", reservation, { noneMatch: "any" }),
      );
    },
  },
  {
    operation: "A page of 100 blocks",
    calls: 6,
    count: ({ cloud, pool }) =>
      calls(cloud, (context) => listBlocks(context, { space: SPACE, pool: pool.name, limit: 100 })),
  },
];

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

async function assigned(lambda: LambdaFunction, changes: Parameters<typeof requestOf>[2] = {}) {
  return expectServed(lambda, requestOf(SPACE, HOST, changes));
}

/** Returns the number of calls of a function that has just started. */
const calls = (cloud: Cloud, work: (context: Context) => Promise<unknown>): Promise<number> =>
  callsOf(new LambdaFunction(cloud), work);
