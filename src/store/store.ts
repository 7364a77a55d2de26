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
import { formattedTable } from "./format.ts";
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
import { isTold } from "./table-format.ts";

/** The calls of all kinds of items together. */
type Together<Kinds extends readonly object[]> = Kinds extends readonly [
  infer First,
  ...infer Rest extends object[],
]
  ? First & Together<Rest>
  : unknown;

/**
 * Returns the calls for every kind of item over one table. Each method is one call to the database.
 */
export function makeStore(plain: Table) {
  const table = formattedTable(plain);
  return together(
    blockItems(table),
    affinityItems(table),
    fullBlockItems(table),
    borrowedBlockItems(table),
    quotaSlotItems(table),
    quotaItems(table),
    budgetItems(table),
    allocationItems(table),
    indexEntryItems(table),
    applicationItems(table),
    spaceItems(table),
    spaceEntryItems(table),
    planItems(table),
    blockGroupIndexItems(table),
    fullPoolItems(table),
    lendingItems(table),
    poolUsageItems(table),
    jobItems(table),
    nodeItems(table),
    nodeLifeItems(table),
    ciliumReportItems(table),
    statedRangeItems(table),
    namespaceItems(table),
    progressItems(table),
    { checkKeys: async () => void (await isTold(table)) },
    scanning(table),
  );
}

/**
 * An object without a prototype is a dictionary from its beginning. V8 would give a literal of as many spreads a new
 * shape after each property, and take ten times as long.
 */
const together = <Kinds extends readonly object[]>(...kinds: Kinds): Together<Kinds> =>
  Object.assign(Object.create(null), ...kinds);
