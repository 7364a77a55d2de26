import { affinityItems } from "../kernel/items/affinity.ts";
import { allocationItems } from "../kernel/items/allocation.ts";
import { blockItems } from "../kernel/items/block.ts";
import { blockGroupIndexItems } from "../kernel/items/block-group-index.ts";
import { borrowedBlockItems } from "../kernel/items/borrowed-block.ts";
import { fullBlockItems } from "../kernel/items/full-block.ts";
import { fullPoolItems } from "../kernel/items/full-pool.ts";
import { indexEntryItems } from "../kernel/items/index-entry.ts";
import { lendingItems } from "../kernel/items/lending.ts";
import { nodeLifeItems } from "../kernel/items/node-life.ts";
import { progressItems } from "../kernel/items/progress.ts";
import { quotaSlotItems } from "../kernel/items/quota-slot.ts";
import { applicationItems } from "../nouns/application/item.ts";
import { ciliumReportItems } from "../nouns/cilium/item.ts";
import { jobItems } from "../nouns/job/item.ts";
import { namespaceItems } from "../nouns/namespace/item.ts";
import { nodeItems } from "../nouns/node/item.ts";
import { statedRangeItems } from "../nouns/node/stated-ranges-item.ts";
import { planItems } from "../nouns/pool/address-plan-item.ts";
import { spaceItems } from "../nouns/pool/item.ts";
import { budgetItems } from "../nouns/quota/budget-item.ts";
import { quotaItems } from "../nouns/quota/item.ts";
import { spaceEntryItems } from "../nouns/space/item.ts";
import { poolUsageItems } from "../nouns/utilization/item.ts";
import { formattedTable, isTold } from "../table/format.ts";
import type { Table } from "../table/table.ts";
import { scanning } from "./contents.ts";

/** The calls for each kind of item, over a table. */
const KINDS = [
  blockItems,
  affinityItems,
  fullBlockItems,
  borrowedBlockItems,
  quotaSlotItems,
  quotaItems,
  budgetItems,
  allocationItems,
  indexEntryItems,
  applicationItems,
  spaceItems,
  spaceEntryItems,
  planItems,
  blockGroupIndexItems,
  fullPoolItems,
  lendingItems,
  poolUsageItems,
  jobItems,
  nodeItems,
  nodeLifeItems,
  ciliumReportItems,
  statedRangeItems,
  namespaceItems,
  progressItems,
  (table: Table) => ({ checkKeys: async () => void (await isTold(table)) }),
  scanning,
] as const;

/** The calls of all kinds of items together. */
type Together<Kinds extends readonly ((table: Table) => object)[]> = Kinds extends readonly [
  infer First extends (table: Table) => object,
  ...infer Rest extends ((table: Table) => object)[],
]
  ? ReturnType<First> & Together<Rest>
  : unknown;

type StoreCalls = Together<typeof KINDS>;

/**
 * Returns the calls for every kind of item over one table. Each method is one call to the database. The calls of a kind
 * are made when the first of them is needed, because a request needs few kinds.
 */
export function makeStore(plain: Table): StoreCalls {
  return new LazyStore(formattedTable(plain)) as unknown as StoreCalls;
}

class LazyStore {
  readonly table: Table;
  /** The calls of each kind that were needed, in the order of `KINDS`. */
  readonly made: Readonly<Record<string, unknown>>[] = [];

  constructor(table: Table) {
    this.table = table;
  }
}

/** The calls that only tell their names. */
const NO_TABLE = {} as Table;

for (const [index, make] of KINDS.entries())
  for (const name of Object.keys(make(NO_TABLE)))
    Object.defineProperty(LazyStore.prototype, name, {
      get(this: LazyStore) {
        this.made[index] ??= make(this.table);
        return this.made[index][name];
      },
    });
