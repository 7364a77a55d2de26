import type { AddressPlan, AddressPlanEntry } from "../../domain/address-plan.ts";
import type { BlockAffinity } from "../../domain/affinity.ts";
import type { Allocation, Due } from "../../domain/allocation.ts";
import type { AllocationPlace } from "../../domain/allocation-place.ts";
import type { Block, BlockChanges } from "../../domain/block.ts";
import type { BorrowedBlock } from "../../domain/borrowed-block.ts";
import type { Cidr } from "../../domain/cidr.ts";
import type { BlockGroupIndexPage, Contents, FullPool } from "../../domain/contents.ts";
import type { FullBlock, Places } from "../../domain/full-block.ts";
import type { HostId } from "../../domain/host.ts";
import type { Job } from "../../domain/job.ts";
import type { Namespace } from "../../domain/namespace.ts";
import type { Node, NodeEntry } from "../../domain/node.ts";
import type { CorruptItemError, Outcome } from "../../domain/outcome.ts";
import type {
  Pool,
  Reservation,
  Settings,
  SpaceConfiguration,
  UnreadableNamed,
} from "../../domain/pool.ts";
import type { QuotaSlot } from "../../domain/quota-slot.ts";
import type { Slot } from "../../domain/slot.ts";
import type { SpaceEntry, SpacePosition } from "../../domain/space.ts";
import type { Progress } from "../../domain/sweep.ts";
import type { AllocationStart } from "../../domain/token.ts";

/**
 * The store that the operations need. Each method is one call; each write is conditional on what its author saw and
 * answers what became of it. Reads are strongly consistent unless they say otherwise. Methods that answer nothing tidy up
 * what somebody else would tidy up as well: whether they were done is nobody's business.
 */
export interface Store {
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
  /** Lists the places of blocks, also of unreadable ones; eventually consistent. */
  listCurrent(space: string, group: Cidr): Promise<readonly Cidr[]>;
  createBlock(block: Block): Promise<Outcome<Block>>;
  takeSlots(
    learned: Block,
    slots: readonly { readonly ordinal: number; readonly seen: Slot | undefined }[],
    taken: Slot,
    revision: string,
  ): Promise<Outcome<Block>>;
  freeSlots(
    space: string,
    cidr: Cidr,
    ordinals: readonly number[],
    taken: Slot & { readonly kind: "taken" },
    coolingSinceMs: number | undefined,
    revision: string,
  ): Promise<Outcome<Block>>;
  fenceBlock(step: string, space: string, cidr: Cidr, epoch: string): Promise<Outcome<Block>>;
  changeHost(
    step: string,
    seen: Block,
    host: HostId | undefined,
    fresh: BlockChanges,
  ): Promise<Outcome<Block>>;
  noteCalledFull(seen: Block): Promise<Outcome<Block>>;
  markIdle(seen: Block, nowMs: number, revision: string): Promise<Outcome<Block>>;
  deleteBlock(seen: Block): Promise<Outcome<Block>>;

  listAffinities(
    space: string,
    host: HostId,
    options?: { readonly consistent: boolean },
  ): Promise<readonly BlockAffinity[]>;
  /** The same; those that cannot be read are named beside the others. */
  listReadableAffinities(
    space: string,
    host: HostId,
  ): Promise<{
    readonly affinities: readonly BlockAffinity[];
    readonly unreadable: readonly CorruptItemError[];
  }>;
  createAffinity(affinity: BlockAffinity): Promise<Outcome<BlockAffinity>>;
  changeAffinity(
    step: string,
    seen: BlockAffinity,
    next: BlockAffinity,
  ): Promise<Outcome<BlockAffinity>>;
  deleteAffinity(step: string, seen: BlockAffinity): Promise<void>;

  /** In one Query; hints that cannot be read are left out. */
  listPlaces(space: string, host: HostId): Promise<Places>;
  callBlockFull(hint: FullBlock): Promise<void>;
  clearBlockFull(step: string, of: Pick<FullBlock, "space" | "host" | "block">): Promise<void>;

  /** Those that cannot be read are named beside the others. */
  listBorrowedBlocks(
    space: string,
    host: HostId,
  ): Promise<{
    readonly borrowedBlocks: readonly BorrowedBlock[];
    readonly unreadable: readonly CorruptItemError[];
  }>;
  putBorrowedBlock(
    step: string,
    borrowedBlock: BorrowedBlock,
    seen: BorrowedBlock | undefined,
  ): Promise<Outcome<BorrowedBlock>>;
  deleteBorrowedBlock(step: string, seen: BorrowedBlock): Promise<void>;

  listQuotaSlots(space: string, handle: string): Promise<readonly QuotaSlot[]>;
  putQuotaSlot(quotaSlot: QuotaSlot, seen: QuotaSlot | undefined): Promise<Outcome<QuotaSlot>>;
  deleteQuotaSlot(step: string, seen: QuotaSlot): Promise<void>;

  readAllocation(place: AllocationPlace): Promise<Allocation | undefined>;
  listAllocations(
    space: string,
    handleHash: string,
    asked?: { readonly after?: AllocationPlace | undefined; readonly limit?: number },
  ): Promise<readonly Allocation[]>;
  /** Those that begin so, or all; those that cannot be read are named beside the others. */
  allocationsFrom(
    space: string,
    handleHash: string,
    start: AllocationStart | undefined,
  ): Promise<{
    readonly allocations: readonly Allocation[];
    readonly unreadable: readonly CorruptItemError[];
  }>;
  /** Those that cannot be read are named beside the others. */
  listAllocationPage(
    space: string,
    handleHash: string,
    page: { readonly after?: AllocationPlace | undefined; readonly limit: number },
  ): Promise<{
    readonly allocations: readonly Allocation[];
    readonly unreadable: readonly CorruptItemError[];
    readonly next: AllocationPlace | undefined;
  }>;
  createAllocation(allocation: Allocation): Promise<Outcome<Allocation>>;
  changeAllocation(step: string, seen: Allocation, next: Allocation): Promise<Outcome<Allocation>>;
  deleteAllocation(step: string, seen: Allocation): Promise<void>;
  deleteAllocationOfToken(place: AllocationPlace, token: string): Promise<void>;
  markDue(place: AllocationPlace, token: string, dueAtMs: number): Promise<void>;
  markFreed(
    place: AllocationPlace,
    token: string,
    given: {
      readonly address: string;
      readonly complete: boolean;
      readonly revision: string;
      readonly atMs: number;
      readonly dueAtMs: number;
    },
  ): Promise<Outcome<Allocation>>;
  dueAllocations(
    shard: number,
    page: { readonly untilMs: number; readonly limit: number; readonly after?: Due },
  ): Promise<readonly Due[]>;

  /** @throws Unreadable where the keys of the table are of another format; single items say for themselves that they are not read */
  readSpace(space: string): Promise<SpaceConfiguration>;
  putPool(pool: Pool, seen: Pool | undefined): Promise<Outcome<Pool>>;
  changePool(step: string, seen: Pool, next: Pool): Promise<Outcome<Pool>>;
  deletePool(seen: Pool): Promise<Outcome<unknown>>;
  putReservation(
    reservation: Reservation,
    seen: Reservation | undefined,
  ): Promise<Outcome<Reservation>>;
  deleteReservation(seen: Reservation): Promise<Outcome<unknown>>;
  putSettings(
    space: string,
    settings: Settings,
    revision: string,
    seenRevision: string | undefined,
  ): Promise<Outcome<unknown>>;
  readVersion(space: string): Promise<string | undefined>;
  raiseVersion(space: string, version: string): Promise<Outcome<unknown>>;
  registerSpace(space: string, revision: string): Promise<Outcome<unknown>>;
  /** Eventually consistent. Entries that cannot be read are named beside the others. */
  listSpaces(): Promise<{
    readonly spaces: readonly SpaceEntry[];
    readonly unreadable: readonly UnreadableNamed[];
  }>;
  keepPosition(space: string, position: SpacePosition | undefined): Promise<void>;
  dropSpace(seen: SpaceEntry): Promise<Outcome<unknown>>;
  readPlan(space: string): Promise<AddressPlan>;
  changePlan(
    seen: AddressPlan,
    entries: readonly AddressPlanEntry[],
    revision: string,
  ): Promise<Outcome<AddressPlan>>;

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
    options: { readonly after: string | undefined; readonly limit: number },
  ): Promise<{
    readonly pages: readonly {
      readonly page: string;
      readonly groups: ReadonlySet<bigint>;
      readonly full: ReadonlySet<bigint>;
    }[];
    readonly unreadable: readonly CorruptItemError[];
    readonly next: string | undefined;
  }>;
  addGroup(space: string, poolId: string, group: bigint): Promise<Outcome<unknown>>;
  markFull(space: string, poolId: string, group: bigint): Promise<Outcome<unknown>>;
  unmarkFull(space: string, poolId: string, group: bigint): Promise<Outcome<unknown>>;
  listIndexPages(space: string, poolId: string): Promise<readonly BlockGroupIndexPage[]>;
  deleteIndexPage(page: BlockGroupIndexPage): Promise<void>;

  /** Eventually consistent; hints that cannot be read are left out. */
  listFullPools(space: string): Promise<readonly FullPool[]>;
  callPoolFull(hint: FullPool): Promise<void>;
  clearPoolFull(step: string, pool: Pick<FullPool, "space" | "poolId">): Promise<void>;

  /** Of one space, or of all; those that cannot be read are named beside them. */
  listJobs(
    space?: string,
  ): Promise<{ readonly jobs: readonly Job[]; readonly unreadable: readonly CorruptItemError[] }>;
  readJob(space: string, id: string): Promise<Job | undefined>;
  createJob(job: Job): Promise<Outcome<Job>>;
  changeJob(step: string, seen: Job, next: Job): Promise<Outcome<Job>>;
  deleteJob(step: string, seen: Job): Promise<void>;

  /** The places of a host, its hints and its node, in one Query; a node that cannot be read is named as such. */
  readHost(
    space: string,
    host: HostId,
  ): Promise<Places & { readonly node: Node | CorruptItemError | undefined }>;
  readNode(space: string, name: string): Promise<Node | undefined>;
  createNode(node: Node): Promise<Outcome<Node>>;
  changeNode(seen: Node, next: Node): Promise<Outcome<Node>>;
  deleteNode(seen: Node): Promise<Outcome<unknown>>;
  listNodeEntries(
    space: string,
    page: { readonly after: string | undefined; readonly limit: number },
  ): Promise<{
    readonly entries: readonly NodeEntry[];
    readonly unreadable: readonly CorruptItemError[];
    readonly next: string | undefined;
  }>;
  enterNode(entry: NodeEntry): Promise<Outcome<unknown>>;
  restoreNodeEntry(entry: NodeEntry): Promise<void>;
  deleteNodeEntry(step: string, seen: Pick<NodeEntry, "space" | "name" | "id">): Promise<void>;

  readNamespace(space: string, name: string): Promise<Namespace | undefined>;
  listNamespaces(
    space: string,
    page: { readonly after: string | undefined; readonly limit: number },
  ): Promise<{
    readonly namespaces: readonly Namespace[];
    readonly unreadable: readonly CorruptItemError[];
    readonly next: string | undefined;
  }>;
  createNamespace(namespace: Namespace): Promise<Outcome<Namespace>>;
  changeNamespace(seen: Namespace, next: Namespace): Promise<Outcome<Namespace>>;
  deleteNamespace(seen: Namespace): Promise<Outcome<unknown>>;

  /** Asks the table for the format of its keys. @throws Unreadable where it is not the one that this version knows */
  checkKeys(): Promise<void>;
  readProgress(shard: number): Promise<Progress | undefined>;
  writeProgress(shard: number, progress: Progress): Promise<void>;
  /** A page of a segment of the table, item by item, each with its position: eventually consistent. */
  scanSegment(
    segment: { readonly index: number; readonly of: number },
    limit: number,
    after?: string,
  ): Promise<{
    readonly found: readonly { readonly contents: Contents; readonly position: string }[];
    readonly next?: string;
  }>;
  scanPage(
    limit: number,
    after?: string,
  ): Promise<{ readonly contents: Contents; readonly next?: string }>;
}
