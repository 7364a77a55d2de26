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
  const parts: Record<Part | "unreadable", readonly unknown[]> = { ...NOTHING };
  const unreadable: { key: string; reason: string }[] = [];
  const errors: CorruptItemError[] = [];
  for (const item of items) {
    const { part, from } = READERS_BY_KIND.get(kindNameOf(item) ?? "") ?? OF_NO_KIND;
    const value = readOrNot(item, from);
    if (value instanceof CorruptItemError) {
      unreadable.push({ key: `${item.pk} ${item.sk}`, reason: value.message });
      errors.push(value);
    } else if (part) {
      const own = parts[part] === NONE ? [] : (parts[part] as unknown[]);
      parts[part] = own;
      if (Array.isArray(value)) own.push(...value);
      else own.push(value);
    }
  }
  const contents = { ...parts, unreadable } as Contents;
  return { contents, errors };
}

type Part = Exclude<keyof Contents, "unreadable">;

/** Reads the items of a kind into their part. Without a part, the only check of the kind is that it can be read. */
interface Reader {
  readonly part?: Part;
  readonly from: (item: Item) => unknown;
}

/** The kind of the items of each part, and what reads one. An item may hold several of its part. */
const READERS: {
  readonly [Of in Part]: readonly [
    kind: string,
    from: (item: Item) => Contents[Of][number] | Contents[Of],
  ];
} = {
  blocks: ["BLOCK", blockFrom],
  affinities: ["HOST/AFFINITY", affinityFrom],
  fullBlocks: ["HOST/FULL", fullBlockFrom],
  borrowedBlocks: ["HOST/TAKEN", borrowedBlockFrom],
  quotaSlots: ["QUOTA", quotaSlotFrom],
  allocations: ["HANDLE", allocationFrom],
  indexEntries: ["INDEX", indexEntryFrom],
  applications: ["APPLICATIONS", applicationFrom],
  pools: ["SPACE/POOL", poolFrom],
  reservations: ["SPACE/RESERVATION", reservationFrom],
  quotas: ["SPACE/QUOTA", quotaFrom],
  indexes: ["SPACE/CONFIG", indexesFrom],
  walks: ["SWEEP", shardWalkFrom],
  budgets: ["BUDGET/USED", budgetFrom],
  requestRates: ["BUDGET/REQUESTS", requestRateFrom],
  plans: ["PLAN", planFrom],
  maps: ["GROUPINDEX", indexPageFrom],
  fullPools: ["FULLPOOLS", fullPoolFrom],
  lending: ["FULLPOOLS/~LENDING", lendingFrom],
  poolUsages: ["USAGE", poolUsageFrom],
  jobs: ["JOBS", jobFrom],
  nodes: ["HOST/NODE", nodeFrom],
  nodeEntries: ["NODES", nodeEntryFrom],
  nodeReports: ["NODE/STATUS", nodeReportFrom],
  ciliumReports: ["NODE/CILIUM", ciliumReportFrom],
  signsOfLife: ["NODE/SEEN", signOfLifeFrom],
  tombstones: ["NODE/GONE", tombstoneFrom],
  statedRanges: ["STATED", statedFrom],
  namespaces: ["NAMESPACE", namespaceFrom],
};

const READERS_BY_KIND: ReadonlyMap<string, Reader> = new Map([
  ...Object.entries(READERS).map(([part, [kind, from]]): [string, Reader] => [
    kind,
    { part: part as Part, from },
  ]),
  ["TABLE", { from: assertKeysOf }],
  ["SPACES", { from: spaceEntryFrom }],
  ["VERSION", { from: versionFrom }],
  ["MACHINE", { from: machineFrom }],
]);

/** Reports an item of an unknown kind by its key. */
const OF_NO_KIND: Reader = { from: reading(() => undefined) };

/** Contents without items. Most pages hold items of one part. */
const NONE: readonly unknown[] = [];
const NOTHING = Object.fromEntries(
  [...Object.keys(READERS), "unreadable"].map((part) => [part, NONE]),
) as unknown as Contents;
