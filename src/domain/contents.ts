import type { AddressPlan } from "./address-plan.ts";
import type { BlockAffinity } from "./affinity.ts";
import type { Allocation } from "./allocation.ts";
import type { Application } from "./application.ts";
import type { Block } from "./block.ts";
import type { BorrowedBlock } from "./borrowed-block.ts";
import type { Budget } from "./budget.ts";
import type { CiliumReport } from "./cilium-report.ts";
import type { FullBlock } from "./full-block.ts";
import type { IndexEntry, SpaceIndex } from "./index-entry.ts";
import type { Job } from "./job.ts";
import type { Namespace } from "./namespace.ts";
import type { Node, NodeEntry } from "./node.ts";
import type { NodeReport, SignOfLife } from "./node-report.ts";
import type { Pool, Reservation } from "./pool.ts";
import type { PoolUsage } from "./pool-usage.ts";
import type { Quota } from "./quota.ts";
import type { QuotaSlot } from "./quota-slot.ts";
import type { RequestRate } from "./request-rate.ts";
import type { StatedRanges } from "./stated-ranges.ts";
import type { ShardWalk } from "./sweep.ts";
import type { Tombstone } from "./tombstone.ts";

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

/** Joins pages into one. */
export function together(pages: readonly Contents[]): Contents {
  return {
    blocks: pages.flatMap(({ blocks }) => blocks),
    affinities: pages.flatMap(({ affinities }) => affinities),
    fullBlocks: pages.flatMap(({ fullBlocks }) => fullBlocks),
    borrowedBlocks: pages.flatMap(({ borrowedBlocks }) => borrowedBlocks),
    quotaSlots: pages.flatMap(({ quotaSlots }) => quotaSlots),
    allocations: pages.flatMap(({ allocations }) => allocations),
    indexEntries: pages.flatMap(({ indexEntries }) => indexEntries),
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
    poolUsages: pages.flatMap(({ poolUsages }) => poolUsages),
    jobs: pages.flatMap(({ jobs }) => jobs),
    nodes: pages.flatMap(({ nodes }) => nodes),
    nodeEntries: pages.flatMap(({ nodeEntries }) => nodeEntries),
    nodeReports: pages.flatMap(({ nodeReports }) => nodeReports),
    ciliumReports: pages.flatMap(({ ciliumReports }) => ciliumReports),
    signsOfLife: pages.flatMap(({ signsOfLife }) => signsOfLife),
    tombstones: pages.flatMap(({ tombstones }) => tombstones),
    statedRanges: pages.flatMap(({ statedRanges }) => statedRanges),
    namespaces: pages.flatMap(({ namespaces }) => namespaces),
    unreadable: pages.flatMap(({ unreadable }) => unreadable),
  };
}
