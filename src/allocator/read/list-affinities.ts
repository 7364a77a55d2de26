import type { Address } from "../../domain/address.ts";
import type { BlockAffinity } from "../../domain/affinity.ts";
import { takenIn } from "../../domain/block.ts";
import { formatCidr } from "../../domain/cidr.ts";
import type { HostId } from "../../domain/host.ts";
import type { Context } from "../core/context.ts";
import type { Page } from "../core/page.ts";
import { holdingsOfHost } from "./list-blocks.ts";

/** A block that a host owns, borrows, claims or is about to lose. */
export interface AffinityState {
  readonly cidr: string;
  /** Absent where the host borrows from it and it cannot be read. */
  readonly pool?: string;
  /** Of the affinity, or of the borrowed block: the states are Calico's. */
  readonly state: BlockAffinity["state"];
  /** Is the block another's, or nobody's, and does the host hold, or may it hold, addresses in it? */
  readonly borrowed: boolean;
  /** Since when it is whose it is; absent where no block stands that can be read. */
  readonly claimedAtMs?: number;
  /** The number of assigned addresses, of any owner. */
  readonly used?: number;
}

/** A page of all that a host's affinities and borrowed blocks name, in the order of addresses, strongly consistent. It is no snapshot. */
export async function listAffinities(
  context: Context,
  wanted: {
    readonly space: string;
    readonly host: HostId;
    readonly limit: number;
    readonly position?: { readonly after: Address } | undefined;
  },
): Promise<Page<AffinityState, Address>> {
  const { items, ...page } = await holdingsOfHost(context, wanted);
  const states = items.flatMap(({ cidr, affinity, borrowedBlock, block }): AffinityState[] => {
    const borrowed = borrowedBlock !== undefined && block?.host !== wanted.host;
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
