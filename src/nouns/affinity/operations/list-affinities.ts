import type { ListedPage } from "../../../base/listed.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { BlockAffinity } from "../../../kernel/values/affinity.ts";
import { takenIn } from "../../../kernel/values/block.ts";
import type { HostId } from "../../../kernel/values/host.ts";
import type { Address } from "../../../net/address.ts";
import { formatCidr } from "../../../net/cidr.ts";
import { holdingsOfHost } from "../../block/operations/list-blocks.ts";
import { isShared } from "../../pool/subnet.ts";

/** A block that a host owns, borrows, claims or is about to lose. */
export interface AffinityState {
  readonly cidr: string;
  /** Absent if the host borrows from the block and the block cannot be read. */
  readonly pool?: string;
  /** The state of the affinity, or of the borrowed block; the states are Calico's. */
  readonly state: BlockAffinity["state"];
  /**
   * True if the block belongs to another host or to none, and the host holds, or may hold, addresses in it. False for a block of a
   * ranged pool, which hosts share.
   */
  readonly borrowed: boolean;
  /** The time of the last claim, in milliseconds since the epoch; absent if no readable block exists. */
  readonly claimedAtMs?: number;
  /** The number of assigned addresses, of any owner. */
  readonly used?: number;
}

/**
 * Returns a page of all blocks that a host's affinities and borrowed-block entries name, in the order of addresses.
 * Strongly consistent, but no snapshot.
 */
export async function listAffinities(
  context: Context,
  wanted: {
    readonly space: string;
    readonly host: HostId;
    readonly limit: number;
    readonly position?: { readonly after: Address } | undefined;
  },
): Promise<ListedPage<AffinityState, Address>> {
  const { items, ...page } = await holdingsOfHost(context, wanted);
  // Only a block without a host can be a shared one. So a page of blocks that have hosts needs no configuration.
  const isAnyOfNone = items.some(({ block }) => block && block.host === undefined);
  const configuration = isAnyOfNone ? await context.store.readSpace(wanted.space) : undefined;
  const states = items.flatMap(({ cidr, affinity, borrowedBlock, block }): AffinityState[] => {
    const isOfOther = borrowedBlock !== undefined && block?.host !== wanted.host;
    const borrowed = isOfOther && !(block && configuration && isShared(configuration, block));
    const named = borrowed ? borrowedBlock : (affinity ?? borrowedBlock);
    if (!named) return [];
    const pool = block?.pool ?? affinity?.pool;
    return [
      {
        cidr: formatCidr(cidr),
        ...(pool !== undefined && { pool }),
        state: named.state,
        borrowed,
        ...(block && { claimedAtMs: block.claimedAtMs, used: takenIn(block) }),
      },
    ];
  });
  return { items: states, ...page };
}
