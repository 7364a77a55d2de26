import type { Allocation } from "../../domain/allocation.ts";
import type { Block } from "../../domain/block.ts";
import { shuffled } from "../../domain/fresh.ts";
import type { HostId } from "../../domain/host.ts";
import { PAGE_READS_AT_ONCE, SLOTS_PER_LOOK } from "../../domain/limits.ts";
import { CorruptItemError, unlessCorrupt } from "../../domain/outcome.ts";
import type { Slot } from "../../domain/slot.ts";
import { lookForOwners } from "../allocations/allocation-of-slot.ts";
import { namedBlocks } from "../blocks/blocks-by-name.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { Closing, type Released } from "./close-allocations.ts";

/**
 * Releases every address that a host has, in its own blocks and in those it has borrowed from: the blocks that its affinities and
 * borrowed blocks name (I11), whoever owns them now. The allocation of each slot says whose it is, and is ended as a release by handle
 * ends it, so what others have borrowed from the host's blocks stays theirs. An assign that is under way is ended as a whole
 * or stands as a whole. Where one request does not come to all of it, the same request goes on.
 */
export async function releaseHost(
  context: Context,
  space: string,
  host: HostId,
): Promise<Released> {
  const { store, random } = context;
  const closing = new Closing(context);
  const named = await namedBlocks(context, space, host);
  for (const each of named.unreadable) closing.leave(each);
  // In another order each time, so that no block waits behind the same ones for ever.
  const cidrs = shuffled(named.cidrs, random);
  for (let from = 0; from < cidrs.length && closing.mayBegin(); from += PAGE_READS_AT_ONCE) {
    const some = cidrs.slice(from, from + PAGE_READS_AT_ONCE);
    const blocks = await closing.trying(() =>
      inParallel(some, PAGE_READS_AT_ONCE, (cidr) => unlessCorrupt(store.readBlock(space, cidr))),
    );
    for (const block of blocks ?? []) {
      if (block instanceof CorruptItemError) closing.leave(block);
      else if (block) await releaseIn(context, closing, block, host);
    }
  }
  return closing.answer();
}

/**
 * Ends the host's allocations that hold slots of a block, a few slots at a time: a large block may have more than a request has time
 * to look at, and in another order each time none of them waits for ever.
 */
async function releaseIn(
  context: Context,
  closing: Closing,
  { space, slots }: Block,
  host: HostId,
): Promise<void> {
  const taken = [...slots.values()].filter((slot) => slot.kind === "taken");
  const byToken = new Map(taken.map((slot) => [slot.token, slot]));
  const mixed = shuffled([...byToken.values()], context.random);
  for (let from = 0; from < mixed.length && closing.mayBegin(); from += SLOTS_PER_LOOK) {
    const some = mixed.slice(from, from + SLOTS_PER_LOOK);
    const allocations = await closing.trying(() =>
      allocationsOf(context, closing, space, some, host),
    );
    // What is freed by its host is not looked for again, so nothing is gained by settling it.
    await closing.end(allocations ?? [], { settles: false });
  }
}

/** The host's allocations that hold these slots. */
async function allocationsOf(
  context: Context,
  closing: Closing,
  space: string,
  slots: readonly Slot[],
  host: HostId,
): Promise<readonly Allocation[]> {
  const { owners, unreadable } = await lookForOwners(context, space, slots);
  for (const each of unreadable) closing.leave(each);
  const allocations = new Set([...owners.values()].map(({ allocation }) => allocation));
  return [...allocations].filter((allocation) => allocation.host === host);
}
