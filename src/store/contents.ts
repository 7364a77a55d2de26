import { CorruptItemError } from "../base/outcome.ts";
import type { Contents, PartOfSpace } from "../invariants/contents.ts";
import { affinityFrom } from "../kernel/items/affinity.ts";
import { allocationFrom } from "../kernel/items/allocation.ts";
import { blockFrom } from "../kernel/items/block.ts";
import { indexPageFrom } from "../kernel/items/block-group-index.ts";
import { borrowedBlockFrom } from "../kernel/items/borrowed-block.ts";
import { fullBlockFrom } from "../kernel/items/full-block.ts";
import { fullPoolFrom } from "../kernel/items/full-pool.ts";
import { indexEntryFrom } from "../kernel/items/index-entry.ts";
import { lendingFrom } from "../kernel/items/lending.ts";
import {
  machineFrom,
  nodeReportFrom,
  signOfLifeFrom,
  tombstoneFrom,
} from "../kernel/items/node-life.ts";
import { shardWalkFrom } from "../kernel/items/progress.ts";
import { quotaSlotFrom } from "../kernel/items/quota-slot.ts";
import type { Unread } from "../kernel/values/sweep.ts";
import { applicationFrom } from "../nouns/application/item.ts";
import { ciliumReportFrom } from "../nouns/cilium/item.ts";
import { jobFrom } from "../nouns/job/item.ts";
import { namespaceFrom } from "../nouns/namespace/item.ts";
import { nodeEntryFrom, nodeFrom } from "../nouns/node/item.ts";
import { statedFrom } from "../nouns/node/stated-ranges-item.ts";
import { planFrom, poolFrom, versionFrom } from "../nouns/pool/item.ts";
import { budgetFrom } from "../nouns/quota/budget-item.ts";
import { quotaFrom, requestRateFrom } from "../nouns/quota/item.ts";
import { reservationFrom } from "../nouns/reservation/item.ts";
import { indexesFrom } from "../nouns/settings/item.ts";
import { spaceEntryFrom } from "../nouns/space/item.ts";
import { poolUsageFrom } from "../nouns/utilization/item.ts";
import { assertKeysOf, reading, readOrNot } from "../table/format.ts";
import type { Item, Key } from "../table/item.ts";
import {
  allocationPk,
  allocationPrefix,
  applicationsPk,
  blockGroupIndexPk,
  blockPk,
  fullPoolsPk,
  hostPk,
  indexEntryKey,
  JOBS_PK,
  jobPrefix,
  namespacesPk,
  nodeLifePk,
  nodesPk,
  planKey,
  poolUsagesPk,
  quotaSlotPk,
  requestRateKey,
  SWEEP_PK,
  spaceIn,
  spaceKey,
  spacePk,
  statedPk,
  versionKey,
} from "../table/key.ts";
import { kindNameOf } from "../table/kinds.ts";
import type { Segment, Table } from "../table/table.ts";

/**
 * The calls that read items whatever their kind: those of a part of a space, or those of the whole
 * table.
 */
export function scanning(table: Table) {
  return {
    /**
     * Returns a page of the items in a part of a space. `next` is the position where the following
     * page begins. It names items of this space only.
     *
     * @param after a position, whether or not an item is there
     */
    async readPart(
      space: string,
      part: PartOfSpace,
      { after, limit }: { readonly after?: string | undefined; readonly limit?: number } = {},
    ) {
      const { pk, prefix = "", sk } = placeOfPart(space, part);
      if (sk !== undefined) {
        const item = await table.get({ pk, sk });
        return { contents: contentsOf(item ? [item] : []) };
      }
      const items = await table.query(pk, {
        ...(prefix !== "" && { prefix }),
        ...(limit !== undefined && { limit }),
        ...(after !== undefined && { after: `${prefix}${after}` }),
      });
      const last = items.length === limit ? items.at(-1) : undefined;
      return {
        contents: contentsOf(items),
        ...(last && { next: last.sk.slice(prefix.length) }),
      };
    },

    /** Returns a page of the whole table. `next` is the position where the following page begins. */
    async scanPage(limit: number, after?: string) {
      const page = await table.scan(limit, { after: keyOf(after) });
      return {
        contents: contentsOf(page.items),
        ...(page.next && { next: positionOf(page.next) }),
      };
    },

    /**
     * Returns a page of one segment of the table, item by item, each with its position. An eventually
     * consistent read only suggests: it may miss what was written before it.
     *
     * @param after a position, whether or not an item is there
     */
    async scanSegment(
      segment: Segment,
      limit: number,
      { after, consistent }: { readonly after?: string | undefined; readonly consistent: boolean },
    ) {
      const page = await table.scan(limit, { after: keyOf(after), segment, consistent });
      return {
        found: page.items.map((item) => ({ ...foundIn(item), position: positionOf(item) })),
        ...(page.next && { next: positionOf(page.next) }),
      };
    },
  };
}

/** Returns the partition of a part of a space, and which of its items belong to the part. */
function placeOfPart(
  space: string,
  part: PartOfSpace,
): { readonly pk: string; readonly prefix?: string; readonly sk?: string } {
  switch (part.of) {
    case "configuration":
      return { pk: spacePk(space) };
    case "version":
      return versionKey(space);
    case "register":
      return spaceKey(space);
    case "plan":
      return planKey(space);
    case "fullPools":
      return { pk: fullPoolsPk(space) };
    case "poolUsages":
      return { pk: poolUsagesPk(space) };
    case "jobs":
      return { pk: JOBS_PK, prefix: jobPrefix(space) };
    case "namespaces":
      return { pk: namespacesPk(space) };
    case "applications":
      return { pk: applicationsPk(space) };
    case "nodes":
      return { pk: nodesPk(space) };
    case "stated":
      return { pk: statedPk(space) };
    case "walks":
      return { pk: SWEEP_PK };
    case "budgets":
      return { pk: requestRateKey(space, part.quota).pk };
    case "index":
      return { pk: blockGroupIndexPk(space, part.poolId) };
    case "group":
      return { pk: blockPk(space, part.group) };
    case "host":
      return { pk: hostPk(space, part.host) };
    case "node":
      return { pk: nodeLifePk(space, part.name) };
    case "allocations": {
      const pk = allocationPk(space, part.handleHash);
      return part.start ? { pk, prefix: allocationPrefix(part.start) } : { pk };
    }
    case "quotaSlots":
      return { pk: quotaSlotPk(space, part.handle) };
    case "indexEntry":
      return indexEntryKey(part.entry);
  }
}

/** Sorts one item, and says what it is if it cannot be read. */
function foundIn(item: Item) {
  const decoded = decodedOf([item]);
  const kind = decoded.errors.length > 0 ? UNREAD[kindNameOf(item) ?? ""] : undefined;
  return { ...decoded, unread: kind && { kind, space: spaceIn(item) } };
}

const UNREAD: Readonly<Record<string, Unread["kind"]>> = { HANDLE: "allocation", BLOCK: "block" };

const positionOf = ({ pk, sk }: Key): string => JSON.stringify({ pk, sk });

const keyOf = (position: string | undefined): Key | undefined =>
  position === undefined ? undefined : (JSON.parse(position) as Key);

/**
 * Sorts items by kind. The answer reports an unreadable item, or one of an unknown kind, and goes
 * on with the others.
 */
export const contentsOf = (items: readonly Item[]): Contents => decodedOf(items).contents;

/** Sorts items as `contentsOf` does, and returns the errors of the unreadable ones as well. */
function decodedOf(items: readonly Item[]) {
  const byKind = new Map<string, Item[]>();
  for (const item of items) {
    const name = kindNameOf(item) ?? "";
    const known = byKind.get(name);
    if (known) known.push(item);
    else byKind.set(name, [item]);
  }
  const unreadable: { key: string; reason: string }[] = [];
  const errors: CorruptItemError[] = [];
  const decoded = <T>(kind: string, from: (item: Item) => T): T[] => {
    const values: T[] = [];
    for (const item of byKind.get(kind) ?? NONE) {
      const value = readOrNot(item, from);
      if (!(value instanceof CorruptItemError)) values.push(value);
      else {
        unreadable.push({ key: `${item.pk} ${item.sk}`, reason: value.message });
        errors.push(value);
      }
    }
    return values;
  };
  // The only check of these kinds is that they can be read.
  for (const [kind, from] of OTHERS) decoded(kind, from);
  const contents: Contents = {
    blocks: decoded("BLOCK", blockFrom),
    affinities: decoded("HOST/AFFINITY", affinityFrom),
    fullBlocks: decoded("HOST/FULL", fullBlockFrom),
    borrowedBlocks: decoded("HOST/TAKEN", borrowedBlockFrom),
    quotaSlots: decoded("QUOTA", quotaSlotFrom),
    allocations: decoded("HANDLE", allocationFrom),
    indexEntries: decoded("INDEX", indexEntryFrom),
    applications: decoded("APPLICATIONS", applicationFrom),
    pools: decoded("SPACE/POOL", poolFrom),
    reservations: decoded("SPACE/RESERVATION", reservationFrom),
    quotas: decoded("SPACE/QUOTA", quotaFrom),
    indexes: decoded("SPACE/CONFIG", indexesFrom).flat(),
    walks: decoded("SWEEP", shardWalkFrom),
    budgets: decoded("BUDGET/USED", budgetFrom),
    requestRates: decoded("BUDGET/REQUESTS", requestRateFrom),
    plans: decoded("PLAN", planFrom),
    maps: decoded("GROUPINDEX", indexPageFrom),
    fullPools: decoded("FULLPOOLS", fullPoolFrom),
    lending: decoded("FULLPOOLS/~LENDING", lendingFrom),
    poolUsages: decoded("USAGE", poolUsageFrom),
    jobs: decoded("JOBS", jobFrom),
    nodes: decoded("HOST/NODE", nodeFrom),
    nodeEntries: decoded("NODES", nodeEntryFrom),
    nodeReports: decoded("NODE/STATUS", nodeReportFrom),
    ciliumReports: decoded("NODE/CILIUM", ciliumReportFrom),
    signsOfLife: decoded("NODE/SEEN", signOfLifeFrom),
    tombstones: decoded("NODE/GONE", tombstoneFrom),
    statedRanges: decoded("STATED", statedFrom),
    namespaces: decoded("NAMESPACE", namespaceFrom),
    unreadable,
  };
  return { contents, errors };
}

const NONE: readonly Item[] = [];

const OTHERS: readonly (readonly [string, (item: Item) => unknown])[] = [
  ["TABLE", assertKeysOf],
  ["SPACES", spaceEntryFrom],
  ["VERSION", versionFrom],
  ["MACHINE", machineFrom],
  // Reports an item of an unknown kind by its key.
  ["", reading(() => undefined)],
];
