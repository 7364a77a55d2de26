import type { BlockAffinity } from "../kernel/values/affinity.ts";
import type { Allocation } from "../kernel/values/allocation.ts";
import type { Block } from "../kernel/values/block.ts";
import type { BorrowedBlock } from "../kernel/values/borrowed-block.ts";
import type { AllocationStart } from "../kernel/values/fresh.ts";
import type { FullBlock } from "../kernel/values/full-block.ts";
import type { HostId } from "../kernel/values/host.ts";
import { type IndexEntry, nameOfEntry, type SpaceIndex } from "../kernel/values/index-entry.ts";
import type { LendingPage } from "../kernel/values/lending.ts";
import type { QuotaSlot } from "../kernel/values/quota-slot.ts";
import type { ShardWalk } from "../kernel/values/sweep.ts";
import { type Cidr, formatCidr } from "../net/cidr.ts";
import type { Application } from "../nouns/application/application.ts";
import type { CiliumReport } from "../nouns/cilium/report.ts";
import type { Job } from "../nouns/job/job.ts";
import type { Namespace } from "../nouns/namespace/namespace.ts";
import type { Node, NodeEntry } from "../nouns/node/node.ts";
import type { NodeReport, SignOfLife } from "../nouns/node/node-report.ts";
import type { StatedRanges } from "../nouns/node/stated-ranges.ts";
import type { Tombstone } from "../nouns/node/tombstone.ts";
import type { AddressPlan } from "../nouns/pool/address-plan.ts";
import type { Pool } from "../nouns/pool/pool.ts";
import type { Budget } from "../nouns/quota/budget.ts";
import type { Quota, RequestRate } from "../nouns/quota/quota.ts";
import type { Reservation } from "../nouns/reservation/reservation.ts";
import type { PoolUsage } from "../nouns/utilization/pool-usage.ts";

/** A page of a pool's block-group index: block groups that may hold blocks, by their index. */
export interface BlockGroupIndexPage {
  readonly space: string;
  readonly poolId: string;
  /** The name of the page in its index. */
  readonly page: string;
  readonly groups: ReadonlySet<bigint>;
}

/** A hint that no block of a pool may be claimed. It may be wrong at any time. */
export interface FullPool {
  readonly space: string;
  readonly poolId: string;
  /** A hash of the reservations under which the pool was found full; other reservations invalidate the hint. */
  readonly reserved: string;
}

/** Items of a table, by kind: a page of it, or all of it. */
export interface Contents {
  readonly blocks: readonly Block[];
  readonly affinities: readonly BlockAffinity[];
  readonly fullBlocks: readonly FullBlock[];
  readonly borrowedBlocks: readonly BorrowedBlock[];
  readonly quotaSlots: readonly QuotaSlot[];
  readonly allocations: readonly Allocation[];
  readonly indexEntries: readonly IndexEntry[];
  readonly applications: readonly Application[];
  readonly pools: readonly Pool[];
  readonly reservations: readonly Reservation[];
  readonly quotas: readonly Quota[];
  readonly indexes: readonly SpaceIndex[];
  /** The index entries that the walks of the repair run have made, for the table as a whole. */
  readonly walks: readonly ShardWalk[];
  readonly budgets: readonly Budget[];
  readonly requestRates: readonly RequestRate[];
  readonly plans: readonly AddressPlan[];
  readonly maps: readonly BlockGroupIndexPage[];
  readonly fullPools: readonly FullPool[];
  readonly lending: readonly LendingPage[];
  readonly poolUsages: readonly PoolUsage[];
  readonly jobs: readonly Job[];
  readonly nodes: readonly Node[];
  readonly nodeEntries: readonly NodeEntry[];
  readonly nodeReports: readonly NodeReport[];
  readonly ciliumReports: readonly CiliumReport[];
  readonly signsOfLife: readonly SignOfLife[];
  readonly tombstones: readonly Tombstone[];
  readonly statedRanges: readonly StatedRanges[];
  readonly namespaces: readonly Namespace[];
  /** Unreadable items, with the reason. Plat keeps and reports them, and never acts on them. */
  readonly unreadable: readonly { readonly key: string; readonly reason: string }[];
}

/**
 * Joins pages into one. Several blocks can lead to a host, to its node, or to an allocation. What comes more than once counts once, as it
 * came last.
 */
export function joinedContents(pages: readonly Contents[]): Contents {
  return {
    blocks: latest(pages, "blocks", ({ space, cidr }) => [space, formatCidr(cidr)]),
    affinities: latest(pages, "affinities", ({ space, host, family, place }) => [
      space,
      host,
      family,
      place,
    ]),
    fullBlocks: latest(pages, "fullBlocks", ofHost),
    borrowedBlocks: latest(pages, "borrowedBlocks", ofHost),
    quotaSlots: latest(pages, "quotaSlots", ({ space, handle, family, number }) => [
      space,
      handle,
      family,
      number,
    ]),
    allocations: latest(pages, "allocations", ({ place }) => [
      place.space,
      place.handleHash,
      place.id,
      String(place.keyed),
    ]),
    indexEntries: latest(pages, "indexEntries", (entry) => [nameOfEntry(entry)]),
    applications: pages.flatMap(({ applications }) => applications),
    pools: pages.flatMap(({ pools }) => pools),
    reservations: pages.flatMap(({ reservations }) => reservations),
    quotas: pages.flatMap(({ quotas }) => quotas),
    indexes: pages.flatMap(({ indexes }) => indexes),
    walks: pages.flatMap(({ walks }) => walks),
    budgets: pages.flatMap(({ budgets }) => budgets),
    requestRates: pages.flatMap(({ requestRates }) => requestRates),
    plans: pages.flatMap(({ plans }) => plans),
    maps: pages.flatMap(({ maps }) => maps),
    fullPools: pages.flatMap(({ fullPools }) => fullPools),
    lending: pages.flatMap(({ lending }) => lending),
    poolUsages: pages.flatMap(({ poolUsages }) => poolUsages),
    jobs: pages.flatMap(({ jobs }) => jobs),
    nodes: latest(pages, "nodes", ({ space, name }) => [space, name]),
    nodeEntries: pages.flatMap(({ nodeEntries }) => nodeEntries),
    nodeReports: latest(pages, "nodeReports", ({ space, name }) => [space, name]),
    ciliumReports: latest(pages, "ciliumReports", ofObject),
    signsOfLife: latest(pages, "signsOfLife", ({ space, name }) => [space, name]),
    tombstones: latest(pages, "tombstones", ofObject),
    statedRanges: latest(pages, "statedRanges", ({ space, node, uid, by }) => [
      space,
      node,
      uid,
      by,
    ]),
    namespaces: pages.flatMap(({ namespaces }) => namespaces),
    unreadable: latest(pages, "unreadable", ({ key }) => [key]),
  };
}

/** Returns the items of a kind, each once in its last version, in the order in which they came first. */
function latest<Kind extends keyof Contents>(
  pages: readonly Contents[],
  kind: Kind,
  keyOf: (item: Contents[Kind][number]) => readonly (string | number)[],
): Contents[Kind][number][] {
  const items = pages.flatMap((page): readonly Contents[Kind][number][] => page[kind]);
  return [...new Map(items.map((item) => [JSON.stringify(keyOf(item)), item])).values()];
}

const ofHost = ({ space, host, block }: BorrowedBlock | FullBlock) => [
  space,
  host,
  formatCidr(block),
];

const ofObject = ({ space, name, uid }: CiliumReport | Tombstone) => [space, name, uid];

/** The parts of a space that have no name but that of the space. Its nodes lead to hosts, and its quotas to budgets. */
export const PARTS_OF_SPACE = [
  "configuration",
  "version",
  "register",
  "plan",
  "fullPools",
  "poolUsages",
  "jobs",
  "namespaces",
  "applications",
  "nodes",
  "stated",
  "walks",
] as const;

/** A part of a space that one Query reads: all items of a kind, or those with a name. */
export type PartOfSpace =
  | { readonly of: (typeof PARTS_OF_SPACE)[number] }
  | { readonly of: "budgets"; readonly quota: string }
  | { readonly of: "index"; readonly poolId: string }
  | { readonly of: "group"; readonly group: Cidr }
  | { readonly of: "host"; readonly host: HostId }
  | { readonly of: "node"; readonly name: string }
  | {
      readonly of: "allocations";
      readonly handleHash: string;
      readonly start: AllocationStart | undefined;
    }
  | { readonly of: "quotaSlots"; readonly handle: string }
  | { readonly of: "indexEntry"; readonly entry: IndexEntry };
