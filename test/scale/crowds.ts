import { capacityOf } from "../../src/kernel/values/block.ts";
import { blocksOfGroup, groupAt, groupIndexOf } from "../../src/kernel/values/block-group.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { parseAddress } from "../../src/net/address.ts";
import { type Cidr, cidrOf } from "../../src/net/cidr.ts";
import { assignsPrefixes, type Pool } from "../../src/nouns/pool/pool.ts";
import type { Item } from "../../src/table/item.ts";
import { blockKey, blockPk, hostPk } from "../../src/table/key.ts";
import type { Crowd, LargeTable } from "./large-table.ts";
import { blockItem, indexPages, takenSlots } from "./scene.ts";

/** Returns the first `count` block groups of a pool. `blocksIn` returns the blocks of each. */
export function groupCrowd(
  pool: Pool,
  count: number,
  blocksIn: (group: number) => readonly Item[],
): Crowd {
  const head = `BLOCK#${pool.space}#`;
  return {
    count,
    keyOf: (number) => blockPk(pool.space, groupAt(pool, BigInt(number))),
    numberOf: (pk) => {
      if (!pk.startsWith(head)) return undefined;
      const [text = "", prefix] = pk.slice(head.length).split("/");
      const base = parseAddress(text);
      if (!base.ok) return undefined;
      const number = Number(groupIndexOf(pool, cidrOf(base.value, Number(prefix))));
      return number >= 0 && number < count ? number : undefined;
    },
    itemsOf: blocksIn,
  };
}

/** Returns the partitions of the first `count` hosts of a space, named `node-0` and so on. */
export function hostCrowd(
  space: string,
  count: number,
  affinitiesOf: (host: number) => readonly Item[],
): Crowd {
  const head = hostPk(space, "host:node-");
  return {
    count,
    keyOf: (number) => `${head}${number}`,
    numberOf: (pk) => {
      if (!pk.startsWith(head)) return undefined;
      const number = Number(pk.slice(head.length));
      return number < count ? number : undefined;
    },
    itemsOf: affinitiesOf,
  };
}

/**
 * Returns a function that makes full blocks of a pool, each for a host, or for none in a ranged pool. They share their slots, so
 * that a million of them cost no more memory than the few that are in use.
 */
export function fullBlocks(pool: Pool): (cidr: Cidr, host?: HostId) => Item {
  const [first] = blocksOfGroup(pool, groupAt(pool, 0n));
  if (!first) throw new Error("a pool without a block");
  const block = { cidr: first, ...(assignsPrefixes(pool) && { whole: true as const }) };
  const template = blockItem(pool, { ...block, slots: takenSlots(capacityOf(block)) });
  return (cidr, host) => ({
    ...template,
    ...blockKey(pool.space, cidr),
    // The write that takes the last address of a host's block notes it.
    ...(host !== undefined && { host, fullWith: capacityOf(block) }),
  });
}

/** Puts the blocks of the first block groups of a pool, with the index of these groups. */
export function putBlocks(
  items: LargeTable,
  pool: Pool,
  groups: number,
  itemOf: (cidr: Cidr) => Item,
): void {
  items.addCrowd(
    groupCrowd(pool, groups, (group) =>
      blocksOfGroup(pool, groupAt(pool, BigInt(group))).map(itemOf),
    ),
  );
  const all = Array.from({ length: groups }, (_, i) => BigInt(i));
  for (const page of indexPages(pool, all)) items.put(page);
}

/** Puts the first block groups of a ranged pool with blocks that are all full. */
export function putFullBlocks(items: LargeTable, pool: Pool, groups: number): void {
  const full = fullBlocks(pool);
  putBlocks(items, pool, groups, (cidr) => full(cidr));
}
