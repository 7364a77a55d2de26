import { assertTexts, assertTimes } from "../../base/assertions.ts";
import type { Cidr } from "../../net/cidr.ts";
import type { HostId } from "./host.ts";

export const BORROWED_BLOCK_STATES = ["confirmed", "pendingDeletion"] as const;

/**
 * A borrowed-block entry: under a host, it says that the host holds, or may hold, slots of a block that is not its own
 * (I11). Plat writes it before it takes the first such slot, and deletes it only after a fence has shown that none is
 * left.
 */
export interface BorrowedBlock {
  readonly space: string;
  readonly host: HostId;
  readonly block: Cidr;
  readonly state: (typeof BORROWED_BLOCK_STATES)[number];
  readonly revision: string;
  readonly atMs: number;
}

/** Checks that a borrowed block has its revision, which tells a new entry from the one seen. @throws {Error} */
export function assertBorrowedBlock({ space, host, revision, atMs }: BorrowedBlock): void {
  assertTexts({ space, host, revision });
  assertTimes(atMs);
}
