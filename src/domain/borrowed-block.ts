import type { Cidr } from "./cidr.ts";
import type { HostId } from "./host.ts";

export const BORROWED_BLOCK_STATES = ["confirmed", "pendingDeletion"] as const;

/**
 * A entry of a borrowed block: says under a host that it holds, or may hold, slots of a block that is not its own (I11). It is written
 * before the first such slot is taken, and deleted only when a fence has shown that none is left.
 */
export interface BorrowedBlock {
  readonly space: string;
  readonly host: HostId;
  readonly block: Cidr;
  readonly state: (typeof BORROWED_BLOCK_STATES)[number];
  readonly revision: string;
  readonly atMs: number;
}
