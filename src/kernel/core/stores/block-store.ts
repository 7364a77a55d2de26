import type { Listed, ListedPage, PageWanted } from "../../../base/listed.ts";
import type { Outcome } from "../../../base/outcome.ts";
import type { BlockGroupIndexPage, FullPool } from "../../../invariants/contents.ts";
import type { Cidr } from "../../../net/cidr.ts";
import type { BlockCharge } from "../../../nouns/quota/block-charge.ts";
import type { MappedBlock } from "../../../nouns/utilization/mapped-block.ts";
import type { PoolUsage } from "../../../nouns/utilization/pool-usage.ts";
import type { Block } from "../../values/block.ts";
import type {
  ClaimFields,
  FullNote,
  HeldSlot,
  ReleasedChange,
  TakeNotes,
} from "../../values/block-changes.ts";
import type { HostId } from "../../values/host.ts";
import type { LendingPage } from "../../values/lending.ts";
import type { SlotsToFree, SlotsToTake } from "../../values/slot-writes.ts";

/** Reads and writes blocks, the index of block groups, and the hints that one of them is full. */
export interface BlockStore {
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
  letGoSlots(
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
  dropLending(step: string, page: Pick<LendingPage, "space" | "poolId" | "page">): Promise<void>;
  callPoolFull(hint: FullPool): Promise<void>;
  clearPoolFull(step: string, pool: Pick<FullPool, "space" | "poolId">): Promise<void>;

  /** Eventually consistent. The result names those that cannot be read beside the others. */
  listPoolUsages(space: string): Promise<Listed<PoolUsage>>;

  /** Eventually consistent. */
  readPoolUsage(space: string, poolId: string): Promise<PoolUsage | undefined>;
  putPoolUsage(usage: PoolUsage): Promise<void>;
  deletePoolUsage(pool: Pick<PoolUsage, "space" | "poolId">): Promise<void>;
}
