import type { Item } from "../../src/table/item.ts";
import { table } from "../functions/plat.ts";
import type { Furnished } from "./furnished.ts";

/** An item of the furnished space, one of every kind. */
interface ItemOfSpace {
  /** Its name in a rejection. */
  called(of: Furnished): string;
  fits(item: Item, space: string, of: Furnished): boolean;
}

/** The item with this key. A star stands for the space. */
const one = (called: string | ItemOfSpace["called"], pk: string, sk?: string): ItemOfSpace => ({
  called: typeof called === "string" ? () => called : called,
  fits: (item, space) => item.pk === pk.replace("*", space) && (sk === undefined || item.sk === sk),
});

/** The first item of a partition whose sort key begins so. */
const first = (called: string | ItemOfSpace["called"], pk: string, sk: string): ItemOfSpace => ({
  called: typeof called === "string" ? () => called : called,
  fits: (item, space) => item.pk === pk.replace("*", space) && item.sk.startsWith(sk),
});

const allocationOf = (of: string): ItemOfSpace => ({
  called: () => "allocation",
  fits: ({ pk, handle }, space) => pk.startsWith(`HANDLE#${space}#`) && handle === of,
});

export const ITEMS = {
  "a pool": one("pool main", "SPACE#*", "POOL#main"),
  // Its ranges are unknown, so automatic assignment is rejected, and no answer counts reserved addresses.
  "a reservation": one("reservation routers", "SPACE#*", "RESERVATION#routers"),
  // It may limit any request.
  "a quota": one("quota all", "SPACE#*", "QUOTA#all"),
  "the addresses of a quota": one("addresses of quota all", "BUDGET#*#all", "USED#addresses"),
  "the requests of a quota": one("requests of quota all", "BUDGET#*#all", "REQUESTS"),
  "the configuration": one(
    ({ plat }) => `configuration of space ${plat.space}`,
    "SPACE#*",
    "CONFIG",
  ),
  "a space in the register": {
    called: ({ plat }) => `space ${plat.space} in the register`,
    fits: ({ pk, sk }, space) => pk === "SPACES" && sk === space,
  },
  "the version of the configuration": one(
    ({ plat }) => `version of space ${plat.space}`,
    "VERSION#*",
  ),
  "the address plan": one(({ plat }) => `address plan of space ${plat.space}`, "PLAN#*"),
  "a page of a pool's block-group index": {
    called: () => "block-group index of pool id",
    fits: ({ pk }, space) => {
      const main = itemWhere(({ pk, sk }) => pk === `SPACE#${space}` && sk === "POOL#main");
      return pk === `GROUPINDEX#${space}#${main.id}`;
    },
  },
  // Readers treat this hint as absent, because no answer depends on it.
  "a hint that a pool is full": {
    called: () => "hint that pool id",
    fits: ({ pk, sk }, space) => pk === `FULLPOOLS#${space}` && !sk.startsWith("~"),
  },
  "a hint of what block groups can lend": first("hint of what pool id", "FULLPOOLS#*", "~"),
  "the usage of a pool": one("usage of pool id", "USAGE#*"),
  "a block": {
    called: ({ block }) => `block ${block.split("/")[0]}`,
    fits: ({ pk, sk }, space, { block }) =>
      pk.startsWith(`BLOCK#${space}#`) && sk === block.split("/")[0],
  },
  "a prefix": {
    called: () => "block 10.64.1.0",
    fits: ({ pk, sk }, space) => pk.startsWith(`BLOCK#${space}#`) && sk === "10.64.1.0",
  },
  "a prefix of a handle": {
    called: () => "block 10.64.2.0",
    fits: ({ pk, sk }, space) => pk.startsWith(`BLOCK#${space}#`) && sk === "10.64.2.0",
  },
  "the allocation of a handle of prefixes": allocationOf("prefix/vpc"),
  "the quota slot of a node": one("quota slot 0 (IPv4) of handle node/n7/a", "QUOTA#*#node/n7/a"),
  "the allocation of a node": allocationOf("node/n7/a"),
  "the entry of a node for its prefix": first(
    "block 10.64.1.0/24 borrowed by host n7",
    "HOST#*#host:n7",
    "TAKEN#",
  ),
  "a row of a host": one("affinity 0 (IPv4) of host n1", "HOST#*#host:n1", "AFFINITY#4#0"),
  "a borrowed block": first(
    ({ block }) => `block ${block} borrowed by host n2`,
    "HOST#*#host:n2",
    "TAKEN#",
  ),
  // This hint saves reads. A function that cannot read it reads the block.
  "a hint that a block is full": first(
    ({ block }) => `hint that block ${block} of host n1 is full`,
    "HOST#*#host:n1",
    "FULL#",
  ),
  "a node": one("node n1", "HOST#*#host:n1", "NODE"),
  "an entry of the register of nodes": one("node n1 in the register", "NODES#*", "n1"),
  "a report of a node": one("report of node n7", "NODE#*#n7", "STATUS"),
  "a report of a CiliumNode": first("report of CiliumNode n5, uid c", "NODE#*#n5", "CILIUM#"),
  "the networks that a node states": one("networks of node n3, uid s", "STATED#*"),
  "a sign of life of a node": one("sign of life of node n7", "NODE#*#n7", "SEEN"),
  "a tombstone of a node": first("tombstone of node n6, uid uid-of-n6", "NODE#*#n6", "GONE#"),
  "a machine": {
    called: () => "machine i-n7",
    fits: ({ pk, sk }, space) => pk === "MACHINE#i-n7" && sk.startsWith(`${space}#`),
  },
  "a namespace": one("namespace shop", "NAMESPACE#*", "shop"),
  "an application": one("application shop/Deployment/web", "APPLICATIONS#*", "shop/Deployment/web"),
  "a quota slot": one("quota slot 0 (IPv4) of handle few", "QUOTA#*#few"),
  // It suggests where an address is. A search by the index names it.
  "an index entry": {
    called: () => "in the index of pod",
    fits: ({ pk }, space) => pk.startsWith(`INDEX#${space}#pod#`),
  },
  "an allocation": allocationOf("web"),
  "the allocation of a request with a key": allocationOf("keyed"),
  "a job": {
    called: ({ job }) => `job ${job}`,
    fits: ({ pk, sk }, space) => pk === "JOBS" && sk.startsWith(`${space}#`),
  },
} satisfies Readonly<Record<string, ItemOfSpace>>;

export type ItemName = keyof typeof ITEMS;

/** Returns the item of a furnished space by its name here. */
export const itemOf = (name: ItemName, of: Furnished): Item => {
  const { fits }: ItemOfSpace = ITEMS[name];
  return itemWhere((item) => fits(item, of.plat.space, of));
};

/** Returns the first item of the table that fits. */
function itemWhere(fits: (item: Item) => boolean): Item {
  const found = table.items().find(fits);
  if (!found) throw new Error("there is no such item");
  return found;
}

export const replace = (item: Item) => {
  table.partitions.get(item.pk)?.set(item.sk, item);
};
