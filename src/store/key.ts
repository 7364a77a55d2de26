import { formatAddress, parseAddress } from "../domain/address.ts";
import type { AllocationPlace } from "../domain/allocation-place.ts";
import { groupOf } from "../domain/block-group.ts";
import { type Cidr, formatCidr } from "../domain/cidr.ts";
import { type HostId, hostId } from "../domain/host.ts";
import type { AllocationStart } from "../domain/token.ts";
import type { Key } from "./item.ts";

/** Names are escaped when keys are built, so that no name can forge another's key. */
export const escaped = (name: string): string => name.replaceAll("%", "%25").replaceAll("#", "%23");

export const unescaped = (text: string): string =>
  text.replaceAll("%23", "#").replaceAll("%25", "%");

const joined = (...parts: string[]) => parts.join("#");

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
export const configKey = (space: string): Key => ({ pk: spacePk(space), sk: CONFIG_SK });

/** The register of spaces: what the scheduled runs go through. */
export const SPACES_PK = "SPACES";
export const spaceKey = (space: string): Key => ({ pk: SPACES_PK, sk: escaped(space) });

export const versionKey = (space: string): Key => ({
  pk: joined("VERSION", escaped(space)),
  sk: "VERSION",
});
export const planKey = (space: string): Key => ({ pk: joined("PLAN", escaped(space)), sk: "TOP" });

/** Blocks are keyed by address, not by pool: two pools can never hold two items for one block. */
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

/** By the pool's id: a pool of the same name that comes after it has a map of its own. */
export const blockGroupIndexPk = (space: string, poolId: string) =>
  joined("GROUPINDEX", escaped(space), escaped(poolId));
export const blockGroupIndexKey = (space: string, poolId: string, page: string): Key => ({
  pk: blockGroupIndexPk(space, poolId),
  sk: page,
});

/** The pools of a space that are believed full, in one partition: who finds the first one full asks for all. */
export const fullPoolsPk = (space: string) => joined("FULLPOOLS", escaped(space));
export const fullPoolKey = (space: string, poolId: string): Key => ({
  pk: fullPoolsPk(space),
  sk: escaped(poolId),
});

/** Places, hints of full blocks and the node sort before borrowed blocks, so that the Query for them leaves borrowed blocks out. */
export const AFFINITY_PREFIX = "AFFINITY#";
export const NODE_SK = "NODE";
export const hostPk = (space: string, host: HostId) =>
  joined("HOST", escaped(space), escaped(host));
export const BORROWED_BLOCK_PREFIX = "TAKEN#";
export const borrowedBlockKey = (space: string, host: HostId, block: Cidr): Key => ({
  pk: hostPk(space, host),
  sk: `${BORROWED_BLOCK_PREFIX}${formatCidr(block)}`,
});
export const affinityKey = (space: string, host: HostId, family: number, place: number): Key => ({
  pk: hostPk(space, host),
  sk: `${AFFINITY_PREFIX}${family}#${place}`,
});

/** Sorts between the places and the node, so that whoever reads the places reads the hints with them. */
export const FULL_PREFIX = "FULL#";
export const fullBlockKey = (space: string, host: HostId, block: Cidr): Key => ({
  pk: hostPk(space, host),
  sk: `${FULL_PREFIX}${formatCidr(block)}`,
});

export const nodeKey = (space: string, name: string): Key => ({
  pk: hostPk(space, hostId("host", name)),
  sk: NODE_SK,
});
/** The register of nodes: what lists of them go through. */
export const nodesPk = (space: string) => joined("NODES", escaped(space));
export const nodeEntryKey = (space: string, name: string): Key => ({
  pk: nodesPk(space),
  sk: escaped(name),
});

/** All namespaces of a space in one partition: a list is a Query of it. */
export const namespacesPk = (space: string) => joined("NAMESPACE", escaped(space));
export const namespaceKey = (space: string, name: string): Key => ({
  pk: namespacesPk(space),
  sk: escaped(name),
});

/** By the full handle: handles whose hashes collide have quota slots of their own. */
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

/** Returns the prefix of the sort keys of allocations whose ids begin so. */
export const allocationPrefix = ({ keyed, idStart }: AllocationStart): string =>
  joined(keyed ? "KEY" : "ID", idStart);

/** Inverse of `allocationKey`. */
export function allocationPlaceOf({ pk, sk }: Key): AllocationPlace {
  const [, space = "", handleHash = ""] = pk.split("#");
  const [kind, id = ""] = sk.split("#");
  return { space: unescaped(space), handleHash, id, keyed: kind === "KEY" };
}

/** Jobs of all spaces in one partition: the worker asks for them all at once. */
export const JOBS_PK = "JOBS";
export const jobPrefix = (space: string) => `${escaped(space)}#`;
export const jobKey = (space: string, id: string): Key => ({
  pk: JOBS_PK,
  sk: `${jobPrefix(space)}${escaped(id)}`,
});

/** The item that says of what format the keys of the table are. Its own key is the same in every format. */
export const TABLE_KEY: Key = { pk: "TABLE", sk: "FORMAT" };

/** Returns the key of the repair position of a shard. */
export const progressKey = (shard: number): Key => ({ pk: "SWEEP", sk: String(shard) });

/** The address in a key; keys are ours, so what cannot be read is a broken table. */
export function addressInKey(text: string) {
  const address = parseAddress(text);
  if (!address.ok) throw new Error(`the key "${text}" is not an address`);
  return address.value;
}
