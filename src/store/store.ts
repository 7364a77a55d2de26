import { planItems } from "./address-plan.ts";
import { affinityItems } from "./affinity.ts";
import { allocationItems } from "./allocation.ts";
import { applicationItems } from "./application.ts";
import { blockItems } from "./block.ts";
import { blockGroupIndexItems } from "./block-group-index.ts";
import { borrowedBlockItems } from "./borrowed-block.ts";
import { budgetItems } from "./budget.ts";
import { ciliumReportItems } from "./cilium-report.ts";
import { scanning } from "./contents.ts";
import { formattedTable, isTold } from "./format.ts";
import { fullBlockItems } from "./full-block.ts";
import { fullPoolItems } from "./full-pool.ts";
import { indexEntryItems } from "./index-entry.ts";
import { jobItems } from "./job.ts";
import { lendingItems } from "./lending.ts";
import { namespaceItems } from "./namespace.ts";
import { nodeItems } from "./node.ts";
import { nodeLifeItems } from "./node-life.ts";
import { poolUsageItems } from "./pool-usage.ts";
import { progressItems } from "./progress.ts";
import { quotaItems } from "./quota.ts";
import { quotaSlotItems } from "./quota-slot.ts";
import { spaceItems } from "./space.ts";
import { spaceEntryItems } from "./space-entry.ts";
import { statedRangeItems } from "./stated-ranges.ts";
import type { Table } from "./table.ts";

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
