import type { Machine } from "../base/machine.ts";
import type { AllocationPlace } from "../kernel/values/allocation-place.ts";
import { groupOf } from "../kernel/values/block-group.ts";
import type { AllocationStart } from "../kernel/values/fresh.ts";
import { type HostId, hostId } from "../kernel/values/host.ts";
import { type IndexEntry, type IndexedValue, shardOfEntry } from "../kernel/values/index-entry.ts";
import { formatAddress, parseAddress } from "../net/address.ts";
import { type Cidr, formatCidr } from "../net/cidr.ts";
import { type ApplicationName, nameOfApplication } from "../nouns/application/application.ts";
import type { StatedNamed } from "../nouns/node/stated-ranges.ts";
import type { BudgetNamed } from "../nouns/quota/budget.ts";
import type { Key } from "./item.ts";

/** Escapes a name for a key, so that no name can imitate another item's key. */
export const escaped = (name: string): string => name.replaceAll("%", "%25").replaceAll("#", "%23");

export const unescaped = (text: string): string =>
  text.replaceAll("%23", "#").replaceAll("%25", "%");

const joined = (...parts: string[]) => parts.join("#");

/** Returns the names in a key, between its separators. */
export const partsOf = (text: string): readonly string[] => text.split("#").map(unescaped);

/** Returns the space in a partition key. */
export const spaceIn = ({ pk }: Key): string => unescaped(pk.split("#")[1] as string);

/** Returns the name in a sort key: all of it, or the text after its kind. */
export const nameIn = ({ sk }: Key): string => unescaped(sk.slice(sk.indexOf("#") + 1));

/** Returns the space and the name in a key. */
export const spaceAndName = (key: Key) => ({ space: spaceIn(key), name: nameIn(key) });

/** Returns the text before the first separator of a key. */
export function headOf(text: string): string {
  const end = text.indexOf("#");
  return end < 0 ? text : text.slice(0, end);
}

export const spacePk = (space: string) => joined("SPACE", escaped(space));
export const CONFIG_SK = "CONFIG";
export const poolKey = (space: string, name: string): Key => ({
  pk: spacePk(space),
  sk: joined("POOL", escaped(name)),
});
export const reservationKey = (space: string, name: string): Key => ({
  pk: spacePk(space),
  sk: joined("RESERVATION", escaped(name)),
});
export const quotaKey = (space: string, name: string): Key => ({
  pk: spacePk(space),
  sk: joined("QUOTA", escaped(name)),
});
export const configKey = (space: string): Key => ({ pk: spacePk(space), sk: CONFIG_SK });

/** The partition of the register of spaces, which scheduled runs go through. */
export const SPACES_PK = "SPACES";
export const spaceKey = (space: string): Key => ({ pk: SPACES_PK, sk: escaped(space) });

/** Returns the key of the requests that functions took from a quota. A partition is one quota, because each may be hot. */
export const requestRateKey = (space: string, quota: string): Key => ({
  pk: joined("BUDGET", escaped(space), escaped(quota)),
  sk: "REQUESTS",
});

/** Returns the key of what is assigned under a quota. */
export const budgetKey = ({ space, quota, of }: BudgetNamed): Key => ({
  pk: joined("BUDGET", escaped(space), escaped(quota)),
  sk: joined("USED", of),
});

export const versionKey = (space: string): Key => ({
  pk: joined("VERSION", escaped(space)),
  sk: "VERSION",
});
export const planKey = (space: string): Key => ({ pk: joined("PLAN", escaped(space)), sk: "TOP" });

/**
 * Returns the partition of the blocks of a block group. The key has the address and no pool, so one
 * block can never have two items in two pools.
 */
export const blockPk = (space: string, group: Cidr) =>
  joined(
    "BLOCK",
    escaped(space),
    `${formatAddress({ ...group, value: group.base })}/${group.prefix}`,
  );
export const blockKey = (space: string, block: Cidr): Key => ({
  pk: blockPk(space, groupOf(block)),
  sk: formatAddress({ family: block.family, value: block.base }),
});

/**
 * Returns the partition of the block-group index of a pool. The key has the pool's id, so a later
 * pool of the same name gets an index of its own.
 */
export const blockGroupIndexPk = (space: string, poolId: string) =>
  joined("GROUPINDEX", escaped(space), escaped(poolId));
export const blockGroupIndexKey = (space: string, poolId: string, page: string): Key => ({
  pk: blockGroupIndexPk(space, poolId),
  sk: page,
});

/**
 * Returns the partition of the pools of a space that are believed to be full. A request that finds
 * its first pool full reads all of them.
 */
export const fullPoolsPk = (space: string) => joined("FULLPOOLS", escaped(space));
export const fullPoolKey = (space: string, poolId: string): Key => ({
  pk: fullPoolsPk(space),
  sk: escaped(poolId),
});

/** The prefix of the hints of what can be lent. They sort after the full pools, whose ids are base64url. */
export const LENDING_PREFIX = "~LENDING#";
export const lendingKey = (space: string, poolId: string, page: string): Key => ({
  pk: fullPoolsPk(space),
  sk: `${lendingPrefix(poolId)}${page}`,
});
/** Returns the prefix of the hints of what one pool can lend, or all pools of a space. */
export const lendingPrefix = (poolId?: string): string =>
  poolId === undefined ? LENDING_PREFIX : `${LENDING_PREFIX}${escaped(poolId)}#`;

/** Returns the partition of the usage of the pools of a space. */
export const poolUsagesPk = (space: string) => joined("USAGE", escaped(space));
export const poolUsageKey = (space: string, poolId: string): Key => ({
  pk: poolUsagesPk(space),
  sk: escaped(poolId),
});

/**
 * The prefix of the keys of affinities. Affinities, hints of full blocks and the node sort before
 * borrowed blocks, so a Query for them leaves borrowed blocks out.
 */
export const AFFINITY_PREFIX = "AFFINITY#";
export const NODE_SK = "NODE";
export const hostPk = (space: string, host: HostId) =>
  joined("HOST", escaped(space), escaped(host));
/** Returns the space and the host in the partition key of a host. */
export function hostIn({ pk }: Key): { readonly space: string; readonly host: HostId } {
  const [, space = "", host = ""] = partsOf(pk);
  return { space, host: host as HostId };
}
export const BORROWED_BLOCK_PREFIX = "TAKEN#";
export const borrowedBlockKey = (space: string, host: HostId, block: Cidr): Key => ({
  pk: hostPk(space, host),
  sk: `${BORROWED_BLOCK_PREFIX}${formatCidr(block)}`,
});
export const affinityKey = (space: string, host: HostId, family: number, place: number): Key => ({
  pk: hostPk(space, host),
  sk: `${AFFINITY_PREFIX}${family}#${place}`,
});

/**
 * The prefix of the keys of full-block hints. It sorts between the affinities and the node, so a
 * read of the affinities includes the hints.
 */
export const FULL_PREFIX = "FULL#";
export const fullBlockKey = (space: string, host: HostId, block: Cidr): Key => ({
  pk: hostPk(space, host),
  sk: `${FULL_PREFIX}${formatCidr(block)}`,
});

export const nodeKey = (space: string, name: string): Key => ({
  pk: hostPk(space, hostId("host", name)),
  sk: NODE_SK,
});
/** Returns the partition of the register of nodes, which lists of nodes read. */
export const nodesPk = (space: string) => joined("NODES", escaped(space));
export const nodeEntryKey = (space: string, name: string): Key => ({
  pk: nodesPk(space),
  sk: escaped(name),
});

/**
 * Returns the partition of what a cluster says of a node. The partition of its host stays small, because
 * each cold assign reads that one.
 */
export const nodeLifePk = (space: string, name: string) =>
  joined("NODE", escaped(space), escaped(name));
/** Returns the space and the name of the node in a partition key of `nodeLifePk`. */
export function nodeIn({ pk }: Key): { readonly space: string; readonly name: string } {
  const [, space = "", name = ""] = partsOf(pk);
  return { space, name };
}
/** The prefix of the keys of CiliumNodes. They sort before all else that clusters say of a node, so a Query for that leaves them out. */
export const CILIUM_PREFIX = "CILIUM#";
export const AFTER_CILIUM = "CILIUM$";
export const STATUS_SK = "STATUS";
export const SEEN_SK = "SEEN";
export const GONE_PREFIX = "GONE#";
export const reportKey = (space: string, name: string): Key => ({
  pk: nodeLifePk(space, name),
  sk: STATUS_SK,
});
export const signOfLifeKey = (space: string, name: string): Key => ({
  pk: nodeLifePk(space, name),
  sk: SEEN_SK,
});
export const tombstoneKey = (space: string, name: string, uid: string): Key => ({
  pk: nodeLifePk(space, name),
  sk: `${GONE_PREFIX}${escaped(uid)}`,
});
export const ciliumReportKey = (space: string, name: string, uid: string): Key => ({
  pk: nodeLifePk(space, name),
  sk: `${CILIUM_PREFIX}${escaped(uid)}`,
});

/** Returns the partition of what the nodes of a space state of their networks. A request for a prefix reads all of it. */
export const statedPk = (space: string) => joined("STATED", escaped(space));
export const statedPrefix = ({ node, uid }: Pick<StatedNamed, "node" | "uid">) =>
  joined(escaped(node), escaped(uid), "");
export const statedKey = (of: StatedNamed): Key => ({
  pk: statedPk(of.space),
  sk: `${statedPrefix(of)}${of.by}`,
});

/** Returns the partition of the nodes on a machine, of all spaces. */
export const machinePk = (id: string) => joined("MACHINE", escaped(id));
export const machineKey = ({ id, space, name, uid }: Machine): Key => ({
  pk: machinePk(id),
  sk: joined(escaped(space), escaped(name), escaped(uid)),
});

/** Returns the partition of all namespaces of a space. A list is a Query of it. */
export const namespacesPk = (space: string) => joined("NAMESPACE", escaped(space));
export const namespaceKey = (space: string, name: string): Key => ({
  pk: namespacesPk(space),
  sk: escaped(name),
});

/** Returns the partition of all applications of a space. A list is a Query of it. */
export const applicationsPk = (space: string) => joined("APPLICATIONS", escaped(space));
export const applicationKey = (space: string, of: ApplicationName): Key => ({
  pk: applicationsPk(space),
  sk: escaped(nameOfApplication(of)),
});

/**
 * Returns the partition of the quota slots of a handle. The key has the full handle, so handles
 * whose hashes collide have quota slots of their own.
 */
export const quotaSlotPk = (space: string, handle: string) =>
  joined("QUOTA", escaped(space), escaped(handle));
export const quotaSlotKey = (
  space: string,
  handle: string,
  family: number,
  number: number,
): Key => ({
  pk: quotaSlotPk(space, handle),
  sk: joined(String(family), String(number)),
});

export const allocationPk = (space: string, handleHash: string) =>
  joined("HANDLE", escaped(space), handleHash);
export const allocationKey = ({ space, handleHash, id, keyed }: AllocationPlace): Key => ({
  pk: allocationPk(space, handleHash),
  sk: joined(keyed ? "KEY" : "ID", id),
});

/** Returns the prefix of the sort keys of allocations whose ids have this start. */
export const allocationPrefix = ({ keyed, idStart }: AllocationStart): string =>
  joined(keyed ? "KEY" : "ID", idStart);

/** Returns the place of the allocation under a key. Inverse of `allocationKey`. */
export function allocationPlaceIn({ pk, sk }: Key): AllocationPlace {
  const [, space = "", handleHash = ""] = pk.split("#");
  const [kind, id = ""] = sk.split("#");
  return { space: unescaped(space), handleHash, id, keyed: kind === "KEY" };
}

/**
 * Returns the partition of the index entries of a value. The key has the hash of the value, because a value can be longer than a key.
 * A value has one partition for each shard of handles, so that no value is one hot partition.
 */
export const indexPk = ({ space, attribute, valueHash }: IndexedValue, shard: number) =>
  joined("INDEX", escaped(space), escaped(attribute), valueHash, String(shard));
export const indexEntryKey = (entry: Omit<IndexEntry, "revision" | "atMs">): Key => ({
  pk: indexPk(entry, shardOfEntry(entry.place)),
  sk: joined(entry.place.handleHash, allocationKey(entry.place).sk),
});

/** Returns the place of the allocation that an entry names. */
export function placeOfEntry({ pk, sk }: Key): AllocationPlace {
  const [, space = ""] = pk.split("#");
  const [handleHash = "", ...rest] = sk.split("#");
  return allocationPlaceIn({ pk: joined("HANDLE", space, handleHash), sk: joined(...rest) });
}

/** The partition of the jobs of all spaces, because the worker reads them all at once. */
export const JOBS_PK = "JOBS";
export const jobPrefix = (space: string) => `${escaped(space)}#`;
export const jobKey = (space: string, id: string): Key => ({
  pk: JOBS_PK,
  sk: `${jobPrefix(space)}${escaped(id)}`,
});

/**
 * The key of the item that tells the format of the table's keys. It is the same in every format.
 */
export const TABLE_KEY: Key = { pk: "TABLE", sk: "FORMAT" };

export const SWEEP_PK = "SWEEP";
/** Returns the key of the repair position of a shard. */
export const progressKey = (shard: number): Key => ({ pk: SWEEP_PK, sk: String(shard) });

/**
 * Returns the address in a key. Plat wrote the key, so an unreadable address means a broken table.
 */
export function addressInKey(text: string) {
  const address = parseAddress(text);
  if (!address.ok) throw new Error(`the key "${text}" is not an address`);
  return address.value;
}
