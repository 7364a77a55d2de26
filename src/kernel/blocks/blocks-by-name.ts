import type { CorruptItemError } from "../../base/outcome.ts";
import { type Cidr, formatCidr } from "../../net/cidr.ts";
import type { Context } from "../core/context.ts";
import type { BlockAffinity } from "../values/affinity.ts";
import type { BorrowedBlock } from "../values/borrowed-block.ts";
import type { HostId } from "../values/host.ts";

/** The affinities and borrowed blocks of a host. */
export interface NamedBlocks {
  readonly affinities: readonly BlockAffinity[];
  readonly borrowedBlocks: readonly BorrowedBlock[];
  /** The blocks that they name, each once. */
  readonly cidrs: readonly Cidr[];
  /** Affinities and borrowed-block entries that cannot be read. They do not keep back the blocks that the others name. */
  readonly unreadable: readonly CorruptItemError[];
}

/**
 * Lists the blocks of a host, and its borrowed blocks (I11). It reads borrowed-block entries after affinities. A disowned block gets
 * its entry before it loses its affinity, so this order cannot miss it.
 */
export async function namedBlocks(
  { store }: Context,
  space: string,
  host: HostId,
): Promise<NamedBlocks> {
  const affinities = await store.listReadableAffinities(space, host);
  const borrowedBlocks = await store.listBorrowedBlocks(space, host);
  const named = new Map(
    [...affinities.items, ...borrowedBlocks.items].map(({ block }) => [formatCidr(block), block]),
  );
  return {
    affinities: affinities.items,
    borrowedBlocks: borrowedBlocks.items,
    cidrs: [...named.values()],
    unreadable: [...affinities.unreadable, ...borrowedBlocks.unreadable],
  };
}
