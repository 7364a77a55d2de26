import type { Item } from "../../src/table/item.ts";
import { table } from "../functions/plat.ts";
import type { Furnished } from "./furnished.ts";

/** An item of the furnished space, one of every kind. */
interface ItemOfSpace {
  /** Its name in a rejection. */
  called(of: Furnished): string;
  fits(item: Item, space: string, of: Furnished): boolean;
}

export const ITEMS = {
  "a pool": {
    called: () => "pool main",
    fits: ({ pk, sk }, space) => pk === `SPACE#${space}` && sk === "POOL#main",
  },
  // Its ranges are unknown, so automatic assignment is rejected, and no answer counts reserved addresses.
  "a reservation": {
    called: () => "reservation routers",
    fits: ({ pk, sk }, space) => pk === `SPACE#${space}` && sk === "RESERVATION#routers",
  },
  // It may limit any request.
  "a quota": {
    called: () => "quota all",
    fits: ({ pk, sk }, space) => pk === `SPACE#${space}` && sk === "QUOTA#all",
  },
  "the addresses of a quota": {
    called: () => "addresses of quota all",
    fits: ({ pk, sk }, space) => pk === `BUDGET#${space}#all` && sk === "USED#addresses",
  },
  "the requests of a quota": {
    called: () => "requests of quota all",
    fits: ({ pk, sk }, space) => pk === `BUDGET#${space}#all` && sk === "REQUESTS",
  },
  "the configuration": {
    called: ({ plat }) => `configuration of space ${plat.space}`,
    fits: ({ pk, sk }, space) => pk === `SPACE#${space}` && sk === "CONFIG",
  },
  "a space in the register": {
    called: ({ plat }) => `space ${plat.space} in the register`,
    fits: ({ pk, sk }, space) => pk === "SPACES" && sk === space,
  },
  "the version of the configuration": {
    called: ({ plat }) => `version of space ${plat.space}`,
    fits: ({ pk }, space) => pk === `VERSION#${space}`,
  },
  "the address plan": {
    called: ({ plat }) => `address plan of space ${plat.space}`,
    fits: ({ pk }, space) => pk === `PLAN#${space}`,
  },
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
  "a hint of what block groups can lend": {
    called: () => "hint of what pool id",
    fits: ({ pk, sk }, space) => pk === `FULLPOOLS#${space}` && sk.startsWith("~"),
  },
  "the usage of a pool": {
    called: () => "usage of pool id",
    fits: ({ pk }, space) => pk === `USAGE#${space}`,
  },
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
  "the allocation of a handle of prefixes": {
    called: () => "allocation",
    fits: ({ pk, handle }, space) => pk.startsWith(`HANDLE#${space}#`) && handle === "prefix/vpc",
  },
  "the quota slot of a node": {
    called: () => "quota slot 0 (IPv4) of handle node/n7/a",
    fits: ({ pk }, space) => pk === `QUOTA#${space}#node/n7/a`,
  },
  "the allocation of a node": {
    called: () => "allocation",
    fits: ({ pk, handle }, space) => pk.startsWith(`HANDLE#${space}#`) && handle === "node/n7/a",
  },
  "the entry of a node for its prefix": {
    called: () => "block 10.64.1.0/24 borrowed by host n7",
    fits: ({ pk, sk }, space) => pk === `HOST#${space}#host:n7` && sk.startsWith("TAKEN#"),
  },
  "a row of a host": {
    called: () => "affinity 0 (IPv4) of host n1",
    fits: ({ pk, sk }, space) => pk === `HOST#${space}#host:n1` && sk === "AFFINITY#4#0",
  },
  "a borrowed block": {
    called: ({ block }) => `block ${block} borrowed by host n2`,
    fits: ({ pk, sk }, space) => pk === `HOST#${space}#host:n2` && sk.startsWith("TAKEN#"),
  },
  // This hint saves reads. A function that cannot read it reads the block.
  "a hint that a block is full": {
    called: ({ block }) => `hint that block ${block} of host n1 is full`,
    fits: ({ pk, sk }, space) => pk === `HOST#${space}#host:n1` && sk.startsWith("FULL#"),
  },
  "a node": {
    called: () => "node n1",
    fits: ({ pk, sk }, space) => pk === `HOST#${space}#host:n1` && sk === "NODE",
  },
  "an entry of the register of nodes": {
    called: () => "node n1 in the register",
    fits: ({ pk, sk }, space) => pk === `NODES#${space}` && sk === "n1",
  },
  "a report of a node": {
    called: () => "report of node n7",
    fits: ({ pk, sk }, space) => pk === `NODE#${space}#n7` && sk === "STATUS",
  },
  "a report of a CiliumNode": {
    called: () => "report of CiliumNode n5, uid c",
    fits: ({ pk, sk }, space) => pk === `NODE#${space}#n5` && sk.startsWith("CILIUM#"),
  },
  "the networks that a node states": {
    called: () => "networks of node n3, uid s",
    fits: ({ pk }, space) => pk === `STATED#${space}`,
  },
  "a sign of life of a node": {
    called: () => "sign of life of node n7",
    fits: ({ pk, sk }, space) => pk === `NODE#${space}#n7` && sk === "SEEN",
  },
  "a tombstone of a node": {
    called: () => "tombstone of node n6, uid uid-of-n6",
    fits: ({ pk, sk }, space) => pk === `NODE#${space}#n6` && sk.startsWith("GONE#"),
  },
  "a machine": {
    called: () => "machine i-n7",
    fits: ({ pk, sk }, space) => pk === "MACHINE#i-n7" && sk.startsWith(`${space}#`),
  },
  "a namespace": {
    called: () => "namespace shop",
    fits: ({ pk, sk }, space) => pk === `NAMESPACE#${space}` && sk === "shop",
  },
  "an application": {
    called: () => "application shop/Deployment/web",
    fits: ({ pk, sk }, space) => pk === `APPLICATIONS#${space}` && sk === "shop/Deployment/web",
  },
  "a quota slot": {
    called: () => "quota slot 0 (IPv4) of handle few",
    fits: ({ pk }, space) => pk === `QUOTA#${space}#few`,
  },
  // It suggests where an address is. A search by the index names it.
  "an index entry": {
    called: () => "in the index of pod",
    fits: ({ pk }, space) => pk.startsWith(`INDEX#${space}#pod#`),
  },
  "an allocation": {
    called: () => "allocation",
    fits: ({ pk, handle }, space) => pk.startsWith(`HANDLE#${space}#`) && handle === "web",
  },
  "the allocation of a request with a key": {
    called: () => "allocation",
    fits: ({ pk, handle }, space) => pk.startsWith(`HANDLE#${space}#`) && handle === "keyed",
  },
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
