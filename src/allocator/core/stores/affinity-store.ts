import type { BlockAffinity } from "../../../domain/affinity.ts";
import type { BorrowedBlock } from "../../../domain/borrowed-block.ts";
import type { FullBlock, Places } from "../../../domain/full-block.ts";
import type { HostId } from "../../../domain/host.ts";
import type { Node } from "../../../domain/node.ts";
import type { CorruptItemError, Outcome } from "../../../domain/outcome.ts";

/** Reads and writes what a host has: its affinities, its hints of full blocks, and the blocks that it borrows from. */
export interface AffinityStore {
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

  /** The places of a host, its hints and its node, in one Query; a node that cannot be read is named as such. */
  readHost(
    space: string,
    host: HostId,
  ): Promise<Places & { readonly node: Node | CorruptItemError | undefined }>;
}
