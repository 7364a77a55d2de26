import type { AssignmentRecord } from "../../domain/allocation.ts";
import type { Block } from "../../domain/block.ts";
import { shuffled } from "../../domain/fresh.ts";
import type { HostId } from "../../domain/host.ts";
import { PAGE_READS_AT_ONCE, SLOTS_PER_LOOK } from "../../domain/limits.ts";
import { Unreadable, unlessUnreadable } from "../../domain/outcome.ts";
import type { Slot } from "../../domain/slot.ts";
import { lookForOwners } from "../allocations/allocation-of-slot.ts";
import { namedBlocks } from "../blocks/blocks-by-name.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { Ending, type Released } from "./close-allocations.ts";

/**
 * Gives back every address that a host has, in its own blocks and in those it has borrowed from: the blocks that its rows and
 * loans name (I11), whoever owns them now. The record of each slot says whose it is, and is ended as a release by handle
 * ends it, so what others have borrowed from the host's blocks stays theirs. An assign that is under way is ended as a whole
 * or stands as a whole. Where one request does not come to all of it, the same request goes on.
 */
export async function releaseHost(
  context: Context,
  space: string,
  host: HostId,
): Promise<Released> {
  const { store, random } = context;
  const ending = new Ending(context);
  const named = await namedBlocks(context, space, host);
  for (const each of named.unreadable) ending.leave(each);
  // In another order each time, so that no block waits behind the same ones for ever.
  const cidrs = shuffled(named.cidrs, random);
  for (let from = 0; from < cidrs.length && ending.mayBegin(); from += PAGE_READS_AT_ONCE) {
    const some = cidrs.slice(from, from + PAGE_READS_AT_ONCE);
    const blocks = await ending.trying(() =>
      inParallel(some, PAGE_READS_AT_ONCE, (cidr) =>
        unlessUnreadable(store.readBlock(space, cidr)),
      ),
    );
    for (const block of blocks ?? []) {
      if (block instanceof Unreadable) ending.leave(block);
      else if (block) await releaseIn(context, ending, block, host);
    }
  }
  return ending.answer();
}

/**
 * Ends the host's records that hold slots of a block, a few slots at a time: a large block may have more than a request has time
 * to look at, and in another order each time none of them waits for ever.
 */
async function releaseIn(
  context: Context,
  ending: Ending,
  { space, slots }: Block,
  host: HostId,
): Promise<void> {
  const taken = [...slots.values()].filter((slot) => slot.kind === "taken");
  const byToken = new Map(taken.map((slot) => [slot.token, slot]));
  const mixed = shuffled([...byToken.values()], context.random);
  for (let from = 0; from < mixed.length && ending.mayBegin(); from += SLOTS_PER_LOOK) {
    const some = mixed.slice(from, from + SLOTS_PER_LOOK);
    const records = await ending.trying(() => recordsOf(context, ending, space, some, host));
    // What is given back by its host is not looked for again, so nothing is gained by settling it.
    await ending.end(records ?? [], false);
  }
}

/** The host's records that hold these slots. */
async function recordsOf(
  context: Context,
  ending: Ending,
  space: string,
  slots: readonly Slot[],
  host: HostId,
): Promise<readonly AssignmentRecord[]> {
  const { owners, unreadable } = await lookForOwners(context, space, slots);
  for (const each of unreadable) ending.leave(each);
  const records = new Set([...owners.values()].map(({ record }) => record));
  return [...records].filter((record) => record.host === host);
}
