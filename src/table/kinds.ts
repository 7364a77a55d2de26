import type { Key } from "./item.ts";
import { headOf, unescaped } from "./key.ts";

/**
 * The format of the keys of a table. A change of any item's key must raise this number. Otherwise a
 * version that reads other keys would take the items under unknown keys for absent. Three keys are
 * the same in every format: those of `TABLE_KEY`, which tells the format, of the register of
 * spaces, and of a space's configuration.
 */
export const KEYS_FORMAT = 2;

/** A kind of item. */
export interface ItemKind {
  /**
   * The format that this version writes, and the only one that it reads. A change of an item's
   * meaning must raise it.
   */
  readonly format: number;
  /** Returns the name of the item for people: its kind, and its name in the space. */
  called(key: Key): string;
  /**
   * True if the item carries the format of the keys as well. A request that begins with the
   * configuration of a space then learns of other keys without a further call.
   */
  readonly carriesKeys?: true;
  /** Present if writes of the item name their actor: its creations and changes, or its deletions too. */
  readonly signed?: "changes" | "deletions too";
}

/**
 * The kinds by the start of the partition key. If a partition has items of different kinds, the
 * name includes the start of the sort key.
 */
const KINDS: Readonly<Record<string, ItemKind>> = {
  TABLE: { format: 1, called: () => "the table", carriesKeys: true },
  SPACES: { format: 1, called: ({ sk }) => `space ${unescaped(sk)} in the register` },
  "SPACE/CONFIG": {
    format: 3,
    called: ({ pk }) => `configuration of space ${partOf(pk, 1)}`,
    carriesKeys: true,
    signed: "deletions too",
  },
  "SPACE/POOL": {
    format: 8,
    called: ({ sk }) => `pool ${partOf(sk, 1)}`,
    carriesKeys: true,
    signed: "changes",
  },
  "SPACE/RESERVATION": {
    format: 1,
    called: ({ sk }) => `reservation ${partOf(sk, 1)}`,
    carriesKeys: true,
    signed: "deletions too",
  },
  "SPACE/QUOTA": {
    format: 1,
    called: ({ sk }) => `quota ${partOf(sk, 1)}`,
    carriesKeys: true,
    signed: "deletions too",
  },
  "BUDGET/USED": {
    format: 1,
    called: ({ pk, sk }) => `${partOf(sk, 1)} of quota ${partOf(pk, 2)}`,
  },
  "BUDGET/REQUESTS": { format: 1, called: ({ pk }) => `requests of quota ${partOf(pk, 2)}` },
  VERSION: { format: 1, called: ({ pk }) => `version of space ${partOf(pk, 1)}` },
  PLAN: { format: 3, called: ({ pk }) => `address plan of space ${partOf(pk, 1)}` },
  BLOCK: { format: 3, called: ({ sk }) => `block ${sk}`, signed: "deletions too" },
  GROUPINDEX: {
    format: 1,
    called: ({ pk, sk }) => `block-group index of pool id ${partOf(pk, 2)}, page ${sk}`,
  },
  FULLPOOLS: { format: 1, called: ({ sk }) => `hint that pool id ${unescaped(sk)} is full` },
  "FULLPOOLS/~LENDING": {
    format: 1,
    called: ({ sk }) => `hint of what pool id ${partOf(sk, 1)} can lend, page ${partOf(sk, 2)}`,
  },
  USAGE: { format: 1, called: ({ sk }) => `usage of pool id ${unescaped(sk)}` },
  "HOST/AFFINITY": {
    format: 1,
    called: ({ pk, sk }) => `affinity ${partOf(sk, 2)} (IPv${partOf(sk, 1)}) of host ${hostIn(pk)}`,
    signed: "changes",
  },
  "HOST/FULL": {
    format: 1,
    called: ({ pk, sk }) => `hint that block ${partOf(sk, 1)} of host ${hostIn(pk)} is full`,
  },
  "HOST/NODE": { format: 1, called: ({ pk }) => `node ${hostIn(pk)}`, signed: "deletions too" },
  "HOST/TAKEN": {
    format: 1,
    called: ({ pk, sk }) => `block ${partOf(sk, 1)} borrowed by host ${hostIn(pk)}`,
  },
  NODES: { format: 1, called: ({ sk }) => `node ${unescaped(sk)} in the register` },
  "NODE/CILIUM": {
    format: 1,
    called: ({ pk, sk }) => `report of CiliumNode ${partOf(pk, 2)}, uid ${partOf(sk, 1)}`,
    signed: "changes",
  },
  "NODE/STATUS": { format: 2, called: ({ pk }) => `report of node ${partOf(pk, 2)}` },
  "NODE/SEEN": { format: 1, called: ({ pk }) => `sign of life of node ${partOf(pk, 2)}` },
  "NODE/GONE": {
    format: 1,
    called: ({ pk, sk }) => `tombstone of node ${partOf(pk, 2)}, uid ${partOf(sk, 1)}`,
  },
  STATED: {
    format: 1,
    called: ({ sk }) => `networks of node ${partOf(sk, 0)}, uid ${partOf(sk, 1)}`,
  },
  MACHINE: { format: 1, called: ({ pk }) => `machine ${partOf(pk, 1)}` },
  NAMESPACE: {
    format: 3,
    called: ({ sk }) => `namespace ${unescaped(sk)}`,
    signed: "deletions too",
  },
  APPLICATIONS: {
    format: 1,
    called: ({ sk }) => `application ${unescaped(sk)}`,
    signed: "deletions too",
  },
  QUOTA: {
    format: 1,
    called: ({ pk, sk }) =>
      `quota slot ${partOf(sk, 1)} (IPv${partOf(sk, 0)}) of handle ${partOf(pk, 2)}`,
  },
  INDEX: {
    format: 1,
    called: ({ pk, sk }) => `entry of allocation ${partOf(sk, 2)} in the index of ${partOf(pk, 2)}`,
  },
  HANDLE: { format: 10, called: ({ sk }) => `allocation ${partOf(sk, 1)}`, signed: "changes" },
  JOBS: { format: 3, called: ({ sk }) => `job ${partOf(sk, 1)}`, signed: "changes" },
  SWEEP: { format: 1, called: ({ sk }) => `progress of the repair run in shard ${sk}` },
};

/** The names of all kinds. */
export const KIND_NAMES: readonly string[] = Object.keys(KINDS);

/** Returns the kind of the item under a key; nothing for a kind that this version does not know. */
export function kindOf(key: Key): ItemKind | undefined {
  const name = kindNameOf(key);
  return name === undefined ? undefined : KINDS[name];
}

/** Returns the name in `KINDS` of the kind of the item under a key. */
export function kindNameOf({ pk, sk }: Key): string | undefined {
  const head = headOf(pk);
  const name = `${head}/${headOf(sk)}`;
  return [name, head].find((each) => Object.hasOwn(KINDS, each));
}

const partOf = (text: string, index: number): string => unescaped(text.split("#")[index] ?? "");

/**
 * Returns the host in a partition key: the name alone for a host (`host:n1`), and `virtual:x`
 * unchanged.
 */
const hostIn = (pk: string): string => partOf(pk, 2).replace(/^host:/, "");
