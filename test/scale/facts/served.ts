import { fnv1a64 } from "../../../src/base/hash.ts";
import type { AssignRequest } from "../../../src/kernel/assign/assignment.ts";
import {
  blocksOfGroup,
  groupAt,
  groupCount,
  groupIndexOf,
  groupOf,
  groupOrder,
} from "../../../src/kernel/values/block-group.ts";
import type { HostId } from "../../../src/kernel/values/host.ts";
import { formatCidr } from "../../../src/net/cidr.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import { fullBlocks, groupCrowd } from "../crowds.ts";
import type { Fact, Form } from "../fact.ts";
import { requestOf, triesUntilServed } from "../requests.ts";
import { ALL_LOOKS_FULL, NO_FULL_POOLS, NO_OWN_BLOCKS } from "../sabotages.ts";
import {
  affinityItem,
  blockItem,
  fullBlockItem,
  fullPoolItem,
  indexPages,
  poolOf,
  putSpace,
  takenSlots,
} from "../scene.ts";
import { type Layout, OTHER, SPACE } from "./layout.ts";

/**
 * Returns the facts that a request is served within two tries if it can be served, however much
 * else is full.
 */
export const servedFacts = (form: Form): readonly Fact[] =>
  layouts(form).map(({ size, set, broken = ALL_LOOKS_FULL }) => ({
    name: "A host is served within two tries while a pool that may serve it has a free address",
    size,
    bound: 2,
    unit: "tries",
    broken,
    async measure(newCloud) {
      const { cloud, requests } = await set(newCloud);
      return cloud.clock.run(async () => {
        let most = 0;
        for (const request of requests)
          most = Math.max(most, await triesUntilServed(cloud, request));
        return most;
      });
    },
  }));

function layouts(form: Form): readonly Layout[] {
  const large = form === "full" ? "64.0.0.0/6" : "10.0.0.0/12";
  const hosts = form === "full" ? 20 : 4;
  return [
    reservedLeftovers(hosts),
    ...Array.from({ length: form === "full" ? 5 : 2 }, (_, seed) => oneFreeBlock(large, 0, seed)),
    oneFreeBlock(large, 12, 7),
    ...(form === "full" ? [700, 1_999] : [700]).map((pools) => roomInTheLastPool(pools)),
    hostAtItsCap(form === "full" ? 200 : 40),
    hostAtItsCap(form === "full" ? 1_000 : 100, "whose others are called full"),
    borrowableEverywhere(form === "full" ? 256 : 16),
  ];
}

/**
 * Half of the block groups have one free block, which is wholly reserved. The others are untouched.
 */
function reservedLeftovers(hosts: number): Layout {
  return {
    size: "256 block groups, half of them with only a reserved block left, which no map calls full",
    async set(newCloud) {
      const cloud = await newCloud();
      const pool = poolOf(SPACE, "main", "10.0.0.0/12");
      // Strides are odd, so block groups that alternate would never follow one another in an order.
      const isCrowded = (group: bigint) => fnv1a64(String(group)) % 16n < 8n;
      const groups = Array.from({ length: Number(groupCount(pool)) }, (_, i) => BigInt(i));
      const crowded = groups.filter(isCrowded);
      const leftOf = (group: bigint) => blocksOfGroup(pool, groupAt(pool, group)).slice(0, 1);
      putSpace(cloud.items, SPACE, [pool], {}, crowded.flatMap(leftOf).map(formatCidr));
      const full = fullBlocks(pool);
      for (const group of crowded)
        for (const cidr of blocksOfGroup(pool, groupAt(pool, group)).slice(1))
          cloud.items.put(full(cidr, OTHER));
      for (const page of indexPages(pool, crowded)) cloud.items.put(page);
      const requests = hostsWhose(pool, hosts, (order) => order.slice(0, 3).every(isCrowded));
      return { cloud, requests };
    },
  };
}

/** Every block exists and is full, but for one that does not exist. */
function oneFreeBlock(cidr: string, wrongHints: number, seed: number): Layout {
  const count = Number(groupCount(poolOf(SPACE, "main", cidr)));
  const hints =
    wrongHints === 0 ? "the map is right" : `the map misses ${wrongHints} that are full`;
  return {
    size: `one free block in ${count} block groups, ${hints} (host ${seed})`,
    async set(newCloud) {
      const cloud = await newCloud();
      const pool = poolOf(SPACE, "main", cidr);
      putSpace(cloud.items, SPACE, [pool]);
      const free = BigInt(Math.floor((count / 10) * (seed + 1)) % count);
      const full = fullBlocks(pool);
      const blocksIn = (group: number) => {
        const all = blocksOfGroup(pool, groupAt(pool, BigInt(group)));
        return (BigInt(group) === free ? all.slice(1) : all).map((block) => full(block, OTHER));
      };
      cloud.items.addCrowd(groupCrowd(pool, count, blocksIn));
      const host: HostId = `host:late-${seed}`;
      const wrong = new Set(
        [...groupOrder(pool, host)].filter((group) => group !== free).slice(0, wrongHints),
      );
      const groups = Array.from({ length: count }, (_, i) => BigInt(i));
      const isFull = (group: bigint) => group !== free && !wrong.has(group);
      for (const page of indexPages(pool, groups, isFull)) cloud.items.put(page);
      return { cloud, requests: [requestOf(SPACE, host)] };
    },
  };
}

/**
 * Pools of four blocks each, in the order in which requests try them. All but the last are full.
 */
function roomInTheLastPool(fullPools: number): Layout {
  return {
    size: `${fullPools} full pools, then one with room`,
    broken: NO_FULL_POOLS,
    async set(newCloud) {
      const cloud = await newCloud();
      const pools = Array.from({ length: fullPools + 1 }, (_, i) =>
        poolOf(SPACE, `pool-${String(i).padStart(5, "0")}`, `10.${i >> 8}.${i & 255}.0/24`),
      );
      putSpace(cloud.items, SPACE, pools);
      for (const pool of pools.slice(0, -1)) {
        const full = fullBlocks(pool);
        for (const cidr of blocksOfGroup(pool, groupAt(pool, 0n)))
          cloud.items.put(full(cidr, OTHER));
        for (const page of indexPages(pool, [0n], () => true)) cloud.items.put(page);
        cloud.items.put(fullPoolItem(pool));
      }
      return { cloud, requests: [requestOf(SPACE, "host:late")] };
    },
  };
}

/** The host is at its cap and cannot borrow. One of its blocks has a few addresses left. */
export function hostAtItsCap(
  blocks: number,
  called?: "whose others are called full",
  { open = Math.floor(blocks * 0.7), free = 1 } = {},
): Layout {
  const left = free === 1 ? "one free address" : `${free} free addresses`;
  return {
    size: `a host at its cap of ${blocks} blocks, ${left} in block ${open + 1}${called ? `, ${called}` : ""}`,
    broken: NO_OWN_BLOCKS,
    async set(newCloud) {
      const cloud = await newCloud();
      const pool = poolOf(SPACE, "main", "10.0.0.0/8");
      const host: HostId = "host:large";
      putSpace(cloud.items, SPACE, [pool], { strictAffinity: true, maxBlocksPerHost: blocks });
      const full = fullBlocks(pool);
      const groups = [...groupOrder(pool, host)].slice(0, Math.ceil(blocks / 64));
      const own = groups
        .flatMap((group) => blocksOfGroup(pool, groupAt(pool, group)))
        .slice(0, blocks);
      for (const [place, cidr] of own.entries()) {
        const isOpen = place === open;
        cloud.items.put(
          isOpen ? blockItem(pool, { cidr, host, slots: takenSlots(64 - free) }) : full(cidr, host),
        );
        const affinity = affinityItem(pool, host, place, cidr);
        cloud.items.put(affinity);
        if (called && !isOpen) cloud.items.put(fullBlockItem(affinity));
      }
      for (const page of indexPages(
        pool,
        own.map((cidr) => groupIndexOf(pool, groupOf(cidr))),
      ))
        cloud.items.put(page);
      return { cloud, requests: [requestOf(SPACE, host)] };
    },
  };
}

/** No block is free, and each block group has one address to borrow. */
function borrowableEverywhere(groups: number): Layout {
  return {
    size: `${groups} full block groups, one address to borrow in each`,
    async set(newCloud) {
      const cloud = await newCloud();
      const pool = poolOf(SPACE, "main", `10.0.0.0/${20 - Math.log2(groups)}`);
      putSpace(cloud.items, SPACE, [pool]);
      const full = fullBlocks(pool);
      const indexes = Array.from({ length: groups }, (_, i) => BigInt(i));
      for (const index of indexes)
        for (const [i, cidr] of blocksOfGroup(pool, groupAt(pool, index)).entries())
          cloud.items.put(
            i === 40
              ? blockItem(pool, { cidr, host: OTHER, slots: takenSlots(63) })
              : full(cidr, OTHER),
          );
      for (const page of indexPages(pool, indexes, () => true)) cloud.items.put(page);
      return {
        cloud,
        requests: Array.from({ length: 4 }, (_, i) => requestOf(SPACE, `host:late-${i}`)),
      };
    },
  };
}

/** Returns requests of this many hosts, for whose order of block groups `isSuch` returns true. */
function hostsWhose(
  pool: Pool,
  count: number,
  isSuch: (order: readonly bigint[]) => boolean,
): readonly AssignRequest[] {
  const requests: AssignRequest[] = [];
  for (let i = 0; requests.length < count; i++) {
    const host: HostId = `host:late-${i}`;
    if (isSuch([...groupOrder(pool, host)])) requests.push(requestOf(SPACE, host));
  }
  return requests;
}
