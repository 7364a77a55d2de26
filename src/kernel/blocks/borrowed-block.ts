import { answer, RETRY, untilAnswered } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import type { Block } from "../values/block.ts";
import type { BorrowedBlock } from "../values/borrowed-block.ts";
import { fresh } from "../values/fresh.ts";
import type { HostId } from "../values/host.ts";
import { SWAP_TRIES_MAX } from "../values/limits.ts";

/**
 * Ensures that a host has a borrowed-block entry for a block before it takes the first slot of it (I11). What this
 * function remembers is enough: the write of the slot names the epoch of the block, and a fence comes before the entry
 * goes.
 *
 * @returns false if the outcome stayed unknown: then no slot of the block may be taken
 */
export async function ensureBorrowedBlock(
  context: Context,
  host: HostId,
  block: Block,
): Promise<boolean> {
  return (
    context.cache.knowsBorrowedBlock(host, block) || confirmBorrowedBlock(context, host, block)
  );
}

/**
 * Confirms the borrowed-block entry of a host at the table, for a host that gets slots of the block without a write of
 * the block.
 *
 * @returns false if the outcome stayed unknown: then the host may not get them
 */
export async function confirmBorrowedBlock(
  context: Context,
  host: HostId,
  block: Block,
): Promise<boolean> {
  const { store, cache } = context;
  let seen: BorrowedBlock | undefined;
  return untilAnswered<boolean>({ triesMax: SWAP_TRIES_MAX, exhausted: () => false }, async () => {
    const next = borrowedBlockOf(context, host, block);
    const put = await store.putBorrowedBlock("borrowed", next, seen);
    if (put.outcome === "unknown") return answer(false);
    // An entry that is marked for deletion is confirmed again, under the revision of the mark.
    seen = put.item;
    if (put.outcome !== "done" && seen?.state !== "confirmed") return RETRY;
    cache.rememberBorrowedBlock(host, block);
    return answer(true);
  });
}

export const borrowedBlockOf = (
  context: Context,
  host: HostId,
  { space, cidr }: Block,
): BorrowedBlock => ({
  space,
  host,
  block: cidr,
  state: "confirmed",
  revision: fresh(context),
  atMs: context.now(),
});
