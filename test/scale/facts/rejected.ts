import { POOLS_TRIED_MAX } from "../../../src/kernel/assign/find-blocks.ts";
import { blocksOfGroup, groupAt, groupCount } from "../../../src/kernel/values/block-group.ts";
import type { HostId } from "../../../src/kernel/values/host.ts";
import type { Settings } from "../../../src/nouns/settings/settings.ts";
import { fullBlocks, groupCrowd } from "../crowds.ts";
import type { Fact, Form } from "../fact.ts";
import { assignCold, isFinal, isServed, requestOf } from "../requests.ts";
import { FIRST_ONLY, READ_BEFORE_WRITE, walking } from "../sabotages.ts";
import {
  affinityItem,
  blockItem,
  indexPages,
  type NewCloud,
  poolOf,
  putSpace,
  takenSlots,
} from "../scene.ts";
import { type Layout, OTHER, SPACE } from "./layout.ts";
import { someGroupsOf } from "./spaces.ts";

/**
 * Returns the facts that a rejection asks for a retry if a later try, or another scan, might serve
 * the caller.
 */
export const rejectedFacts = (form: Form): readonly Fact[] => {
  const groups = form === "full" ? 256 : 64;
  return [
    unseenBorrowable(groups),
    staleHint(groups),
    untriedPools(form === "full" ? 700 : 100),
  ].map(({ size, set }) => ({
    name: "No rejection is final while an address is free that the request may have",
    size,
    bound: 0,
    unit: "final rejections",
    broken: FIRST_ONLY,
    async measure(newCloud) {
      const { cloud, requests } = await set(newCloud);
      return cloud.clock.run(async () => {
        let final = 0;
        for (const request of requests) if (isFinal(await assignCold(cloud, request))) final++;
        return final;
      });
    },
  }));
};

/** Returns the facts about the cost of a rejection if no address is free anywhere. */
export const rejectionCallFacts = (form: Form): readonly Fact[] => {
  const cidr = form === "full" ? "64.0.0.0/6" : "64.0.0.0/14";
  const blocks = form === "full" ? 1_048_576 : 4_096;
  const pools = form === "full" ? 2_000 : 100;
  return [
    {
      size: `${blocks} full blocks in a pool`,
      calls: CALLS_PER_FULL_POOL,
      broken: walking("some block groups of the pool", someGroupsOf(poolOf(SPACE, "main", cidr))),
      set: nothingFree(cidr),
    },
    {
      size: `${pools} full pools that nothing calls full`,
      calls: CALLS_PER_POOL * POOLS_TRIED_MAX,
      broken: READ_BEFORE_WRITE,
      set: untriedPools(pools, 0).set,
    },
  ].map(({ size, calls, broken, set }) => ({
    name: `A rejection needs at most ${calls} calls`,
    size,
    bound: calls,
    unit: "calls",
    broken,
    async measure(newCloud) {
      const { cloud, requests } = await set(newCloud);
      return cloud.clock.run(async () => {
        let most = 0;
        for (const request of requests) {
          const tried = await assignCold(cloud, request);
          if (tried.ended !== "answered" || isServed(tried))
            throw new Error(`a request was not refused: ${JSON.stringify(tried)}`);
          most = Math.max(most, tried.calls);
        }
        return most;
      });
    },
  }));
};

/**
 * The calls for a full pool without a note of what its block groups lend: it reads the host, the space, the index and the notes,
 * looks at three block groups and notes what each lends, and reads the host once more before it rejects.
 */
const CALLS_PER_FULL_POOL = 4 + 2 * 3 + 1;
/**
 * The calls for a full pool without a hint: a request scans it, calls it full, and scans it once
 * more before it rejects.
 */
const CALLS_PER_POOL = 6;

const nothingFree =
  (cidr: string): Layout["set"] =>
  async (newCloud) => {
    const cloud = await newCloud();
    const pool = poolOf(SPACE, "main", cidr);
    const groups = Number(groupCount(pool));
    putSpace(cloud.items, SPACE, [pool], { strictAffinity: true });
    const full = fullBlocks(pool);
    const blocksIn = (group: number) =>
      blocksOfGroup(pool, groupAt(pool, BigInt(group))).map((cidr) => full(cidr, OTHER));
    cloud.items.addCrowd(groupCrowd(pool, groups, blocksIn));
    const all = Array.from({ length: groups }, (_, i) => BigInt(i));
    for (const page of indexPages(pool, all, () => true)) cloud.items.put(page);
    return { cloud, requests: [requestOf(SPACE, "host:late")] };
  };

/**
 * A host is at its cap with full blocks only, and one block of a large pool has an address to
 * borrow.
 */
function unseenBorrowable(groups: number): Layout {
  return {
    size: `10 hosts at their cap, one block to borrow from in ${groups} block groups`,
    async set(newCloud) {
      const hosts = Array.from({ length: 10 }, (_, i): HostId => `host:capped-${i}`);
      const { cloud, pool, full } = await fullPool(groups, { maxBlocksPerHost: 1 }, newCloud);
      for (const [i, host] of hosts.entries()) {
        const [cidr] = blocksOfGroup(pool, groupAt(pool, BigInt(i)));
        if (!cidr) continue;
        cloud.items.put(full(cidr, host));
        cloud.items.put(affinityItem(pool, host, 0, cidr));
      }
      const [borrowedFrom] = blocksOfGroup(pool, groupAt(pool, BigInt(groups - 1))).slice(-1);
      if (borrowedFrom)
        cloud.items.put(
          blockItem(pool, { cidr: borrowedFrom, host: OTHER, slots: takenSlots(63) }),
        );
      return { cloud, requests: hosts.map((host) => requestOf(SPACE, host)) };
    },
  };
}

/** The index calls every block group full, but a block of one of them was deleted. */
function staleHint(groups: number): Layout {
  return {
    size: `strict affinity, one free block in ${groups} block groups, all of them called full`,
    async set(newCloud) {
      const { cloud, pool } = await fullPool(groups, { strictAffinity: true }, newCloud);
      const [gone] = blocksOfGroup(pool, groupAt(pool, BigInt(groups - 1))).slice(-1);
      if (gone) cloud.items.remove(blockItem(pool, { cidr: gone }));
      const requests = Array.from({ length: 10 }, (_, i) => requestOf(SPACE, `host:late-${i}`));
      return { cloud, requests };
    },
  };
}

/** Before the pool with room there are more full pools than a request can try. */
export function untriedPools(count: number, withRoom = 1): Layout {
  return {
    size: `strict affinity, ${count} full pools that nothing calls full, then one with room`,
    async set(newCloud) {
      const cloud = await newCloud();
      const pools = Array.from({ length: count + withRoom }, (_, i) =>
        poolOf(SPACE, `pool-${String(i).padStart(5, "0")}`, `10.${i >> 8}.${i & 255}.0/26`),
      );
      putSpace(cloud.items, SPACE, pools, { strictAffinity: true });
      for (const pool of pools.slice(0, count)) {
        cloud.items.put(fullBlocks(pool)({ ...pool.cidr, prefix: pool.blockSize }, OTHER));
        for (const page of indexPages(pool, [0n])) cloud.items.put(page);
      }
      return { cloud, requests: [requestOf(SPACE, "host:late")] };
    },
  };
}

/**
 * Puts a pool whose every block is full and belongs to another host. Its index calls every block
 * group full.
 */
async function fullPool(groups: number, settings: Partial<Settings>, newCloud: NewCloud) {
  const cloud = await newCloud();
  const pool = poolOf(SPACE, "main", `10.0.0.0/${20 - Math.log2(groups)}`);
  putSpace(cloud.items, SPACE, [pool], settings);
  const full = fullBlocks(pool);
  const indexes = Array.from({ length: groups }, (_, i) => BigInt(i));
  for (const index of indexes)
    for (const cidr of blocksOfGroup(pool, groupAt(pool, index)))
      cloud.items.put(full(cidr, OTHER));
  for (const page of indexPages(pool, indexes, () => true)) cloud.items.put(page);
  return { cloud, pool, full };
}
