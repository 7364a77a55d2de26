import type { Granted, Holding } from "../../../kernel/allocations/holding.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import type { HeldPrefix, NodePrefix } from "../../node/prefixes.ts";

/** A prefix with the allocation by which its node has it. */
export interface GrantedPrefix extends NodePrefix, HeldPrefix {
  readonly allocation: Allocation;
  readonly holding: Holding;
}

/** Returns the prefixes that an allocation holds. Each is a block with one slot. */
export const prefixesOf = ({ allocation, held }: Granted): readonly GrantedPrefix[] =>
  held.map((holding) => ({
    cidr: holding.block.cidr,
    pool: holding.block.pool,
    isConfirmed: allocation.expiresAtMs === undefined,
    ...(allocation.expiresAtMs !== undefined && { expiresAtMs: allocation.expiresAtMs }),
    allocation,
    holding,
  }));
