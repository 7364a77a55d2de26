import type { Allocation } from "../../../src/kernel/values/allocation.ts";
import type { AllocationPlace } from "../../../src/kernel/values/allocation-place.ts";
import { BLOCKS_PER_GROUP, groupAt, groupCount } from "../../../src/kernel/values/block-group.ts";
import { freshToken, type Random } from "../../../src/kernel/values/fresh.ts";
import { hostId } from "../../../src/kernel/values/host.ts";
import type { Slot } from "../../../src/kernel/values/slot.ts";
import type { Cidr } from "../../../src/net/cidr.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import type { Item } from "../../../src/table/item.ts";
import { addressInKey, blockPk } from "../../../src/table/key.ts";
import { fullBlocks, groupCrowd, hostCrowd } from "../crowds.ts";
import { drafted } from "../drafts.ts";
import { EARLIER_MS } from "../drawn.ts";
import type { LargeTable } from "../large-table.ts";
import { affinityItem, blockItem, indexPages, poolOf, putSpace } from "../scene.ts";

/** The number of blocks of a host in the large space. */
const BLOCKS_PER_HOST = 20;
const ADDRESSES_PER_BLOCK = 64;

/**
 * Puts a space with one pool whose blocks all exist and are full. The blocks of a block group belong
 * to different hosts.
 *
 * @param left the number of block groups at the end of the pool that are empty
 */
export function putLargeSpace(items: LargeTable, space: string, cidr: string, left = 0): Pool {
  const pool = poolOf(space, "main", cidr);
  const groups = Number(groupCount(pool)) - left;
  const hosts = Math.ceil((groups * BLOCKS_PER_GROUP) / BLOCKS_PER_HOST);
  putSpace(items, space, [pool]);
  const full = fullBlocks(pool);
  const blockAt = (block: number): Cidr => ({
    ...pool.cidr,
    base: pool.cidr.base + BigInt(block * ADDRESSES_PER_BLOCK),
    prefix: pool.blockSize,
  });
  const blocksIn = (group: number) =>
    Array.from({ length: BLOCKS_PER_GROUP }, (_, i) => {
      const block = group * BLOCKS_PER_GROUP + i;
      return full(blockAt(block), hostId("host", `node-${block % hosts}`));
    });
  items.addCrowd(groupCrowd(pool, groups, blocksIn));
  const affinitiesOf = (host: number): Item[] =>
    Array.from({ length: BLOCKS_PER_HOST }, (_, place) => host + place * hosts)
      .filter((block) => block < groups * BLOCKS_PER_GROUP)
      .map((block, place) =>
        affinityItem(pool, hostId("host", `node-${host}`), place, blockAt(block)),
      );
  items.addCrowd(hostCrowd(space, hosts, affinitiesOf));
  const indexes = Array.from({ length: groups }, (_, i) => BigInt(i));
  for (const page of indexPages(pool, indexes, () => true)) items.put(page);
  return pool;
}

/**
 * Returns the partitions of every 64th block group of a pool. Their number grows with the pool, and
 * a request has time to walk through them.
 */
export const someGroupsOf = (pool: Pool): readonly string[] =>
  Array.from({ length: Math.ceil(Number(groupCount(pool)) / 64) }, (_, i) =>
    blockPk(pool.space, groupAt(pool, BigInt(64 * i))),
  );

/**
 * Puts a space with this many assigned addresses, each with its own handle. Each block belongs to a
 * host of its own.
 */
export function putAssignedSpace(
  items: LargeTable,
  space: string,
  cidr: string,
  addresses: number,
): Pool {
  const pool = poolOf(space, "main", cidr);
  putSpace(items, space, [pool]);
  const blocks = Math.ceil(addresses / ADDRESSES_PER_BLOCK);
  const groups = Math.ceil(blocks / BLOCKS_PER_GROUP);
  const cidrOf = (block: number): Cidr => ({
    ...pool.cidr,
    base: pool.cidr.base + BigInt(block * ADDRESSES_PER_BLOCK),
    prefix: pool.blockSize,
  });
  const blockOf = (block: number) => {
    const slots = Array.from(
      { length: ADDRESSES_PER_BLOCK },
      (_, n) => [n, slotOf(space, block * ADDRESSES_PER_BLOCK + n)] as const,
    );
    const host = hostId("host", `node-${block}`);
    return blockItem(pool, { cidr: cidrOf(block), host, slots: new Map(slots) });
  };
  const firstOf = (group: number) => group * BLOCKS_PER_GROUP;
  items.addCrowd({
    ...groupCrowd(pool, groups, (group) =>
      Array.from({ length: Math.min(BLOCKS_PER_GROUP, blocks - firstOf(group)) }, (_, i) =>
        blockOf(firstOf(group) + i),
      ),
    ),
    itemAt: (_, sk) => {
      const { value } = addressInKey(sk);
      const block = Number(value - pool.cidr.base) / ADDRESSES_PER_BLOCK;
      return block < blocks ? blockOf(block) : undefined;
    },
  });
  items.addCrowd(
    hostCrowd(space, blocks, (block) => [
      affinityItem(pool, hostId("host", `node-${block}`), 0, cidrOf(block)),
    ]),
  );
  const head = `HANDLE#${space}#`;
  items.addCrowd({
    count: blocks * ADDRESSES_PER_BLOCK,
    keyOf: (number) => `${head}${hashOf(number)}`,
    numberOf: (pk) => {
      const number = pk.startsWith(head) ? Number(`0x${pk.slice(head.length)}`) : Number.NaN;
      return number < blocks * ADDRESSES_PER_BLOCK ? number : undefined;
    },
    itemsOf: (number) => {
      const cidr = cidrOf(Math.floor(number / ADDRESSES_PER_BLOCK));
      return [drafted((store) => store.createAllocation(allocationOf(pool, number, cidr)))];
    },
  });
  const all = Array.from({ length: groups }, (_, i) => BigInt(i));
  for (const page of indexPages(pool, all, () => true)) items.put(page);
  return pool;
}

/**
 * Returns a handle's hash in the scene, which is its number. So a partition is found without a list
 * of all handles.
 */
const hashOf = (number: number): string => number.toString(16).padStart(16, "0");

/** A random source without randomness. Tokens still differ, by the ids of their allocations. */
const STILL: Random = { fraction: () => 0, bytes: (count) => Buffer.alloc(count) };

/** Returns the slot of an address, the same each time. */
function slotOf(space: string, number: number): Slot & { readonly kind: "taken" } {
  const { handleHash, ...place } = placeOf(space, number);
  return { kind: "taken", token: freshToken(place, STILL), handleHash };
}

/** Returns the place of the allocation of an address. */
export const placeOf = (space: string, number: number): AllocationPlace => ({
  space,
  handleHash: hashOf(number),
  id: number.toString(36).padStart(6, "0").padEnd(15, "_"),
  keyed: false,
});

/** Returns the allocation of an address, the same each time. */
function allocationOf(pool: Pool, number: number, cidr: Cidr): Allocation {
  const place = placeOf(pool.space, number);
  const { token } = slotOf(pool.space, number);
  return {
    place,
    state: "live",
    handle: `workload-${number}`,
    host: hostId("host", `node-${Math.floor(number / ADDRESSES_PER_BLOCK)}`),
    attributes: { pod: "web-0", namespace: "shop" },
    owners: new Map(),
    want: 1,
    missing: [],
    parts: [{ token, block: cidr, count: 1, ordinals: [number % ADDRESSES_PER_BLOCK] }],
    released: new Set(),
    conflicts: new Set(),
    charges: [],
    quotaSlots: [],
    reused: [],
    digest: "digest",
    revision: place.id,
    atMs: EARLIER_MS,
  };
}
