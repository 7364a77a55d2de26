import type { Listed } from "../../../base/listed.ts";
import type { CorruptItemError, Outcome } from "../../../base/outcome.ts";
import type { Node } from "../../../nouns/node/node.ts";
import type { BlockAffinity } from "../../values/affinity.ts";
import type { BorrowedBlock } from "../../values/borrowed-block.ts";
import type { FullBlock, Places } from "../../values/full-block.ts";
import type { HostId } from "../../values/host.ts";

/** Reads and writes the items of a host: its affinities, its hints of full blocks, and its borrowed-block entries. */
export interface AffinityStore {
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
