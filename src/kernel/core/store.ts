import type { Listed, ListedPage, PageWanted } from "../../base/listed.ts";
import type { Machine } from "../../base/machine.ts";
import type { CorruptItemError, Outcome } from "../../base/outcome.ts";
import type {
  BlockGroupIndexPage,
  Contents,
  FullPool,
  PartOfSpace,
} from "../../invariants/contents.ts";
import type { Cidr } from "../../net/cidr.ts";
import type { Application, ApplicationName } from "../../nouns/application/application.ts";
import type { CiliumReport, NodeObjects } from "../../nouns/cilium/report.ts";
import type { Job } from "../../nouns/job/job.ts";
import type { Namespace } from "../../nouns/namespace/namespace.ts";
import type { NodeLife } from "../../nouns/node/judge-node.ts";
import type { Node, NodeEntry } from "../../nouns/node/node.ts";
import type { NodeReport, SignOfLife } from "../../nouns/node/node-report.ts";
import type { StatedNamed, StatedRanges } from "../../nouns/node/stated-ranges.ts";
import type { DueTombstone, Tombstone, TombstoneNamed } from "../../nouns/node/tombstone.ts";
import type { AddressPlan, AddressPlanEntry } from "../../nouns/pool/address-plan.ts";
import type { SpaceConfiguration, UnreadableNamed } from "../../nouns/pool/configuration.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import type { BlockCharge } from "../../nouns/quota/block-charge.ts";
import type { Budget, BudgetNamed, GiveBackMark } from "../../nouns/quota/budget.ts";
import type { Quota, RequestRate } from "../../nouns/quota/quota.ts";
import type { Reservation } from "../../nouns/reservation/reservation.ts";
import type { AttributeIndex, Settings } from "../../nouns/settings/settings.ts";
import type { SpaceEntry, SpacePosition } from "../../nouns/space/space.ts";
import type { PoolUsage } from "../../nouns/utilization/pool-usage.ts";
import type { MappedBlock } from "../../nouns/utilization/usage.ts";
import type { BlockAffinity } from "../values/affinity.ts";
import type { Allocation, Due, FreedMark, KeptMark } from "../values/allocation.ts";
import type { AllocationPlace } from "../values/allocation-place.ts";
import type { Block } from "../values/block.ts";
import type {
  ClaimFields,
  FullNote,
  HeldSlot,
  ReleasedChange,
  TakeNotes,
} from "../values/block-changes.ts";
import type { BorrowedBlock } from "../values/borrowed-block.ts";
import type { AllocationStart } from "../values/fresh.ts";
import type { FullBlock, Places } from "../values/full-block.ts";
import type { HostId } from "../values/host.ts";
import type { IndexEntry, IndexedValue } from "../values/index-entry.ts";
import type { LendingPage } from "../values/lending.ts";
import type { QuotaSlot } from "../values/quota-slot.ts";
import type { SlotsToFree, SlotsToTake } from "../values/slot-writes.ts";
import type { Progress, ShardWalk, Unread } from "../values/sweep.ts";

/**
 * The store that the operations need: `src/kernel/items`, and the `item.ts` of each noun. Each method is one call. Each write is
 * conditional on what its author saw, but for hints and counts, and returns its outcome. Reads are strongly consistent unless
 * they say otherwise. A method that returns nothing is best-effort: the repair run, or a later walk, repeats it.
 */
export interface Store
  extends BlockStore,
    AffinityStore,
    AllocationStore,
    AdminStore,
    NodeStore,
    CiliumStore {}

/**
 * Returns a store with some calls replaced. A spread would lose the others, which a store makes when they are first
 * needed.
 */
export const withCalls = (store: Store, replaced: Partial<Store>): Store =>
  Object.create(store, Object.getOwnPropertyDescriptors(replaced));

/** Reads and writes what operators and scheduled runs need: configuration, jobs, nodes, namespaces, and the table as a whole. */
interface AdminStore {
  /**
   * @throws {CorruptItemError} if the keys of the table are of another format. Single unreadable items are part of the
   *   result
   */
  readSpace(space: string): Promise<SpaceConfiguration>;
  putPool(pool: Pool, seen: Pool | undefined): Promise<Outcome<Pool>>;
  changePool(step: string, seen: Pool, next: Pool): Promise<Outcome<Pool>>;
  deletePool(seen: Pool): Promise<Outcome<unknown>>;
  putReservation(
    reservation: Reservation,
    seen: Reservation | undefined,
  ): Promise<Outcome<Reservation>>;
  deleteReservation(seen: Reservation): Promise<Outcome<unknown>>;
  putQuota(quota: Quota, seen: Quota | undefined): Promise<Outcome<Quota>>;
  deleteQuota(seen: Quota): Promise<Outcome<unknown>>;
  takeRequests(rate: RequestRate, max: number): Promise<Outcome<RequestRate>>;
  deleteRequestRate(seen: RequestRate): Promise<void>;
  beginSecond(rate: RequestRate, seen: RequestRate | undefined): Promise<Outcome<RequestRate>>;
  putSettings(
    space: string,
    settings: Settings & { readonly indexes?: readonly AttributeIndex[] },
    revision: string,
    seenRevision: string | undefined,
  ): Promise<Outcome<unknown>>;
  deleteSettings(space: string, seenRevision: string): Promise<Outcome<unknown>>;
  readVersion(space: string): Promise<string | undefined>;
  raiseVersion(space: string, version: string): Promise<Outcome<unknown>>;
  registerSpace(space: string, revision: string): Promise<Outcome<unknown>>;

  /** Eventually consistent. The result names entries that cannot be read beside the others. */
  listSpaces(): Promise<{
    readonly items: readonly SpaceEntry[];
    readonly unreadable: readonly UnreadableNamed[];
  }>;
  listSpacePage(wanted: PageWanted<string>): Promise<ListedPage<SpaceEntry, string>>;
  keepPosition(space: string, position: SpacePosition | undefined): Promise<void>;
  deleteSpaceEntry(seen: Pick<SpaceEntry, "space" | "revision">): Promise<Outcome<unknown>>;
  readSpaceEntry(space: string): Promise<SpaceEntry | undefined>;
  markSpace(space: string, seen: string, stamp: string): Promise<Outcome<unknown>>;
  readPlan(space: string): Promise<AddressPlan>;
  changePlan(
    seen: AddressPlan,
    entries: readonly AddressPlanEntry[],
    revision: string,
  ): Promise<Outcome<AddressPlan>>;

  /** Lists the jobs of one space, or of all. The result names those that cannot be read beside the others. */
  listJobs(space?: string): Promise<Listed<Job>>;
  readJob(space: string, id: string): Promise<Job | undefined>;
  createJob<Kind extends Job>(job: Kind): Promise<Outcome<Kind>>;
  changeJob<Kind extends Job>(step: string, seen: Kind, next: Kind): Promise<Outcome<Kind>>;
  deleteJob(step: string, seen: Job): Promise<Outcome<unknown>>;
  readNode(space: string, name: string): Promise<Node | undefined>;
  createNode(node: Node): Promise<Outcome<Node>>;
  changeNode(seen: Node, next: Node): Promise<Outcome<Node>>;
  deleteNode(seen: Node): Promise<Outcome<unknown>>;
  listNodeEntries(space: string, page: PageWanted<string>): Promise<ListedPage<NodeEntry, string>>;
  enterNode(entry: NodeEntry): Promise<Outcome<unknown>>;
  restoreNodeEntry(entry: NodeEntry): Promise<void>;
  deleteNodeEntry(step: string, seen: Pick<NodeEntry, "space" | "name" | "id">): Promise<void>;
  readNamespace(space: string, name: string): Promise<Namespace | undefined>;
  listNamespaces(space: string, page: PageWanted<string>): Promise<ListedPage<Namespace, string>>;
  createNamespace(namespace: Namespace): Promise<Outcome<Namespace>>;
  changeNamespace(seen: Namespace, next: Namespace): Promise<Outcome<Namespace>>;
  deleteNamespace(seen: Namespace): Promise<Outcome<unknown>>;

  readApplication(space: string, of: ApplicationName): Promise<Application | undefined>;
  listApplications(
    space: string,
    page: PageWanted<string>,
  ): Promise<ListedPage<Application, string>>;
  createApplication(application: Application): Promise<Outcome<Application>>;
  changeApplication(
    step: string,
    seen: Application,
    next: Application,
  ): Promise<Outcome<Application>>;
  deleteApplication(seen: Application): Promise<Outcome<unknown>>;

  /** Reads the format of the table's keys. @throws {CorruptItemError} if it is not the one that this version knows */
  checkKeys(): Promise<void>;
  readProgress(shard: number): Promise<Progress | undefined>;
  listWalks(): Promise<readonly ShardWalk[]>;
  writeProgress(shard: number, progress: Progress): Promise<void>;
  askForIndexing(shard: number, askedMs: number): Promise<Outcome<unknown>>;

  readCursorKey(): Promise<string | undefined>;
  keepCursorKey(key: string): Promise<Outcome<unknown>>;

  /**
   * Reads a page of a segment of the table, item by item, each with its position. An eventually consistent one may miss
   * what was written before it.
   */
  scanSegment(
    segment: { readonly index: number; readonly of: number },
    limit: number,
    page: { readonly after?: string | undefined; readonly consistent: boolean },
  ): Promise<{
    readonly found: readonly {
      readonly contents: Contents;
      readonly errors: readonly CorruptItemError[];
      readonly unread: Unread | undefined;
      readonly position: string;
    }[];
    readonly next?: string;
  }>;
  /** Reads a page of the items in a part of a space, whatever their kind. */
  readPart(
    space: string,
    part: PartOfSpace,
    page?: { readonly after?: string | undefined; readonly limit?: number },
  ): Promise<{ readonly contents: Contents; readonly next?: string }>;
  scanPage(
    limit: number,
    after?: string,
  ): Promise<{ readonly contents: Contents; readonly next?: string }>;
}

/** Reads and writes the items of a host: its affinities, its hints of full blocks, and its borrowed-block entries. */
interface AffinityStore {
  listAffinities(
    space: string,
    host: HostId,
    options?: { readonly consistent: boolean },
  ): Promise<readonly BlockAffinity[]>;

  /** Lists the affinities of a host, and names those that cannot be read beside the others. */
  listReadableAffinities(space: string, host: HostId): Promise<Listed<BlockAffinity>>;
  createAffinity(affinity: BlockAffinity): Promise<Outcome<BlockAffinity>>;
  changeAffinity(
    step: string,
    seen: BlockAffinity,
    next: BlockAffinity,
  ): Promise<Outcome<BlockAffinity>>;
  deleteAffinity(step: string, seen: BlockAffinity): Promise<Outcome<unknown>>;

  /** Reads a host's items in one Query; hints that cannot be read are left out. */
  listPlaces(space: string, host: HostId): Promise<Places>;
  callBlockFull(hint: FullBlock): Promise<void>;
  clearBlockFull(step: string, of: Pick<FullBlock, "space" | "host" | "block">): Promise<void>;

  /** Lists the borrowed blocks of a host, and names those that cannot be read beside the others. */
  listBorrowedBlocks(space: string, host: HostId): Promise<Listed<BorrowedBlock>>;
  putBorrowedBlock(
    step: string,
    borrowedBlock: BorrowedBlock,
    seen: BorrowedBlock | undefined,
  ): Promise<Outcome<BorrowedBlock>>;
  deleteBorrowedBlock(step: string, seen: BorrowedBlock): Promise<Outcome<unknown>>;

  /**
   * Reads the places of a host, its hints and its node in one Query. The result names a node that cannot be read as
   * such.
   */
  readHost(
    space: string,
    host: HostId,
  ): Promise<Places & { readonly node: Node | CorruptItemError | undefined }>;
}

/** Reads and writes allocations, and the quota slots of handles with a limit. */
interface AllocationStore {
  readAllocation(place: AllocationPlace): Promise<Allocation | undefined>;
  listAllocations(
    space: string,
    handleHash: string,
    asked?: { readonly after?: AllocationPlace | undefined; readonly limit?: number },
  ): Promise<readonly Allocation[]>;

  /** Lists the allocations whose ids begin with a text, or all. It names those that cannot be read beside the others. */
  allocationsFrom(
    space: string,
    handleHash: string,
    start: AllocationStart | undefined,
  ): Promise<Listed<Allocation>>;

  /** Lists a page of allocations, and names those that cannot be read beside the others. */
  listAllocationPage(
    space: string,
    handleHash: string,
    page: PageWanted<AllocationPlace>,
  ): Promise<ListedPage<Allocation, AllocationPlace>>;
  createAllocation(allocation: Allocation): Promise<Outcome<Allocation>>;
  changeAllocation(step: string, seen: Allocation, next: Allocation): Promise<Outcome<Allocation>>;
  deleteAllocation(step: string, seen: Allocation): Promise<Outcome<unknown>>;
  /** Returns the allocation if this call deleted it. */
  deleteAllocationOfToken(place: AllocationPlace, token: string): Promise<Allocation | undefined>;
  markDue(place: AllocationPlace, token: string, dueAtMs: number): Promise<void>;
  keepAllocation(place: AllocationPlace, kept: KeptMark): Promise<Outcome<Allocation>>;
  markFreed(place: AllocationPlace, token: string, freed: FreedMark): Promise<Outcome<Allocation>>;
  dueAllocations(
    shard: number,
    page: { readonly untilMs: number; readonly limit: number; readonly after?: Due | DueTombstone },
  ): Promise<readonly (Due | DueTombstone)[]>;
  /** Eventually consistent. */
  readIndexEntry(entry: IndexEntry): Promise<IndexEntry | undefined>;

  /** Lists a page of the entries of a value in a shard, and names those that cannot be read beside the others. */
  listIndexEntries(
    value: IndexedValue,
    shard: number,
    page: PageWanted<AllocationPlace>,
  ): Promise<ListedPage<IndexEntry, AllocationPlace>>;
  putIndexEntry(entry: IndexEntry, seen: IndexEntry | undefined): Promise<Outcome<IndexEntry>>;
  deleteIndexEntry(seen: IndexEntry): Promise<Outcome<unknown>>;
  readBudget(of: BudgetNamed): Promise<Budget | undefined>;
  takeOfBudget(of: BudgetNamed, count: number, max: number): Promise<Outcome<Budget>>;
  createBudget(budget: Budget): Promise<Outcome<Budget>>;
  giveBack(
    of: BudgetNamed,
    round: string,
    count: number,
    mark: GiveBackMark,
  ): Promise<Outcome<Budget>>;
  giveBackOld(
    of: BudgetNamed,
    before: string,
    count: number,
    mark: GiveBackMark,
  ): Promise<Outcome<Budget>>;
  moveCharge(of: BudgetNamed, round: string, count: number): Promise<Outcome<Budget>>;
  addCharge(of: BudgetNamed, round: string, count: number): Promise<Outcome<Budget>>;
  turnBudget(seen: Budget, next: Budget): Promise<Outcome<Budget>>;
  deleteBudget(seen: Budget): Promise<void>;
  listQuotaSlots(space: string, handle: string): Promise<readonly QuotaSlot[]>;
  putQuotaSlot(quotaSlot: QuotaSlot, seen: QuotaSlot | undefined): Promise<Outcome<QuotaSlot>>;
  deleteQuotaSlot(step: string, seen: QuotaSlot): Promise<Outcome<unknown>>;
}

/** Reads and writes blocks, the index of block groups, and the hints that one of them is full. */
interface BlockStore {
  readBlock(
    space: string,
    cidr: Cidr,
    options?: { readonly consistent: boolean },
  ): Promise<Block | undefined>;
  scanGroup(
    space: string,
    group: Cidr,
    options: { readonly consistent: boolean },
  ): Promise<readonly Block[]>;

  /** Returns what a map shows of the blocks of a group, also of unreadable ones; eventually consistent. */
  mapGroup(space: string, group: Cidr): Promise<readonly MappedBlock[]>;

  /** Lists the places of blocks, also of unreadable ones; eventually consistent. */
  listBlockPlaces(space: string, group: Cidr): Promise<readonly Cidr[]>;
  createBlock(block: Block): Promise<Outcome<Block>>;
  takeSlots(
    learned: Pick<Block, "space" | "cidr" | "epoch">,
    takes: readonly SlotsToTake[],
    revision: string,
    notes?: TakeNotes,
  ): Promise<Outcome<Block>>;
  freeSlots(
    block: Pick<Block, "space" | "cidr">,
    frees: readonly SlotsToFree[],
    revision: string,
  ): Promise<Outcome<Block>>;
  replaceReleased(
    step: "quarantine" | "lift",
    block: Pick<Block, "space" | "cidr">,
    change: ReleasedChange,
    revision: string,
  ): Promise<Outcome<Block>>;
  freeHeldSlots(
    block: Pick<Block, "space" | "cidr">,
    held: readonly HeldSlot[],
    sinceMs: number,
    fresh: Pick<ClaimFields, "epoch" | "revision">,
  ): Promise<Outcome<Block>>;
  fenceBlock(step: string, space: string, cidr: Cidr, epoch: string): Promise<Outcome<Block>>;
  changeHost(
    step: string,
    seen: Block,
    host: HostId | undefined,
    fresh: ClaimFields,
  ): Promise<Outcome<Block>>;
  noteFull(seen: Block, note: FullNote): Promise<Outcome<Block>>;
  markIdle(seen: Block, nowMs: number, revision: string): Promise<Outcome<Block>>;
  rechargeBlock(
    seen: Block,
    charge: BlockCharge | undefined,
    revision: string,
  ): Promise<Outcome<Block>>;
  deleteBlock(seen: Block): Promise<Outcome<Block>>;
  readBlockGroupIndex(
    space: string,
    poolId: string,
    options: { readonly consistent: boolean },
  ): Promise<{ readonly groups: ReadonlySet<bigint>; readonly full: ReadonlySet<bigint> }>;

  /** Those that are called full: eventually consistent. */
  readFullGroups(space: string, poolId: string): Promise<ReadonlySet<bigint>>;

  /** Eventually consistent, in the order of the pages' names. Pages that cannot be read are named beside the others. */
  readIndexPages(
    space: string,
    poolId: string,
    options: PageWanted<string>,
  ): Promise<
    ListedPage<
      {
        readonly page: string;
        readonly groups: ReadonlySet<bigint>;
        readonly full: ReadonlySet<bigint>;
      },
      string
    >
  >;
  addGroup(space: string, poolId: string, group: bigint): Promise<Outcome<unknown>>;
  markFull(space: string, poolId: string, group: bigint): Promise<Outcome<unknown>>;
  unmarkFull(space: string, poolId: string, group: bigint): Promise<Outcome<unknown>>;
  listIndexPages(space: string, poolId: string): Promise<readonly BlockGroupIndexPage[]>;
  deleteIndexPage(page: BlockGroupIndexPage): Promise<void>;

  /** Eventually consistent; hints that cannot be read are left out. */
  listFullPools(space: string): Promise<readonly FullPool[]>;

  /** Eventually consistent; hints that cannot be read are left out. Of one pool, or of all pools of the space. */
  listLending(space: string, poolId?: string): Promise<readonly LendingPage[]>;
  noteLending(page: LendingPage): Promise<void>;
  deleteLending(step: string, page: Pick<LendingPage, "space" | "poolId" | "page">): Promise<void>;
  callPoolFull(hint: FullPool): Promise<void>;
  clearPoolFull(step: string, pool: Pick<FullPool, "space" | "poolId">): Promise<void>;

  /** Eventually consistent. The result names those that cannot be read beside the others. */
  listPoolUsages(space: string): Promise<Listed<PoolUsage>>;

  /** Eventually consistent. */
  readPoolUsage(space: string, poolId: string): Promise<PoolUsage | undefined>;
  putPoolUsage(usage: PoolUsage): Promise<void>;
  deletePoolUsage(pool: Pick<PoolUsage, "space" | "poolId">): Promise<void>;
}

/** Reads and writes what clusters say of CiliumNodes. */
interface CiliumStore {
  /** Reads all that clusters say of a node's name, its CiliumNodes too. */
  readNodeObjects(space: string, name: string): Promise<NodeObjects>;
  createCiliumReport(report: CiliumReport): Promise<Outcome<CiliumReport>>;
  changeCiliumReport(
    step: string,
    seen: CiliumReport,
    next: CiliumReport,
  ): Promise<Outcome<CiliumReport>>;
  deleteCiliumReport(step: string, seen: CiliumReport): Promise<Outcome<unknown>>;
}

/** Reads and writes what clusters say of nodes: reports, signs of life, tombstones, machines and stated networks. */
interface NodeStore {
  readNodeLife(
    space: string,
    name: string,
  ): Promise<NodeLife & { readonly signOfLife: SignOfLife | undefined }>;
  createReport(report: NodeReport): Promise<Outcome<NodeReport>>;
  changeReport(step: string, seen: NodeReport, next: NodeReport): Promise<Outcome<NodeReport>>;
  deleteReport(seen: NodeReport): Promise<Outcome<unknown>>;
  readSignOfLife(space: string, name: string): Promise<SignOfLife | undefined>;
  putSignOfLife(sign: SignOfLife): Promise<void>;
  deleteSignOfLife(seen: SignOfLife): Promise<void>;
  readTombstone(of: TombstoneNamed): Promise<Tombstone | undefined>;
  createTombstone(tombstone: Tombstone): Promise<Outcome<Tombstone>>;
  changeTombstone(step: string, seen: Tombstone, next: Tombstone): Promise<Outcome<Tombstone>>;
  deleteTombstone(step: string, seen: Tombstone): Promise<Outcome<unknown>>;

  /** Lists the tombstones of a shard's spaces that are due, the earliest first: all, if the index is not too long. It only suggests. */
  dueTombstones(
    shard: number,
    page: { readonly untilMs: number; readonly limit: number },
  ): Promise<{ readonly items: readonly DueTombstone[]; readonly isWhole: boolean }>;

  /** Lists the nodes that ran on a machine, of all spaces. */
  listMachine(id: string): Promise<readonly Machine[]>;
  putMachine(machine: Machine): Promise<void>;
  deleteMachine(machine: Machine): Promise<void>;

  /** Lists what all nodes of a space state, or one incarnation of a node. */
  listStated(
    space: string,
    of?: Pick<StatedNamed, "node" | "uid">,
  ): Promise<readonly StatedRanges[]>;
  createStated(next: StatedRanges): Promise<Outcome<StatedRanges>>;
  changeStated(seen: StatedRanges, next: StatedRanges): Promise<Outcome<StatedRanges>>;
  deleteStated(seen: StatedRanges): Promise<Outcome<unknown>>;
}
