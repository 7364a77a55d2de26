import type { Block } from "../domain/block.ts";
import { formatCidr } from "../domain/cidr.ts";
import { shuffled } from "../domain/fresh.ts";
import type { HostId } from "../domain/host.ts";
import {
  HOST_ADDRESSES_RELEASED_MAX,
  PAGE_MS_MAX,
  RECORDS_ENDED_AT_ONCE,
} from "../domain/limits.ts";
import { Unreadable, unlessUnreadable } from "../domain/outcome.ts";
import type { AssignmentRecord } from "../domain/record.ts";
import type { Context } from "./context.ts";
import { endRecord } from "./end.ts";
import { namedBlocks } from "./named-blocks.ts";
import { inParallel } from "./parallel.ts";
import { recordsOfSlots } from "./record-of-slot.ts";

/** What a release of all that a host has came to. */
export interface HostReleased {
  /** The addresses that this call gave back, as text. */
  readonly released: readonly string[];
  /** Is nothing left of what the host had when this was asked? Where something is, the same request goes on. */
  readonly complete: boolean;
  /** Blocks that cannot be read: what the host may have in them stays. */
  readonly unreadable: readonly string[];
}

/**
 * Gives back every address that a host has, in its own blocks and in those it has borrowed from: the blocks that its rows and
 * loans name (I11), whoever owns them now. The record of each slot says whose it is, and is ended as a release by handle
 * ends it, so what others have borrowed from the host's blocks stays theirs. An assign that is under way is ended as a whole
 * or stands as a whole.
 */
export async function releaseHost(
  context: Context,
  space: string,
  host: HostId,
): Promise<HostReleased> {
  const { store, random } = context;
  const startedAtMs = context.now();
  const { rows, loans } = await namedBlocks(context, space, host);
  const cidrs = new Map([...rows, ...loans].map(({ block }) => [formatCidr(block), block]));
  const released: string[] = [];
  const unreadable: string[] = [];
  const isSpent = () =>
    released.length >= HOST_ADDRESSES_RELEASED_MAX || context.now() - startedAtMs > PAGE_MS_MAX;
  // In another order each time, so that no block waits behind the same ones for ever.
  for (const [name, cidr] of shuffled([...cidrs], random)) {
    if (isSpent()) return { released, complete: false, unreadable };
    const block = await unlessUnreadable(store.readBlock(space, cidr));
    if (block instanceof Unreadable) {
      unreadable.push(name);
      continue;
    }
    const records = block ? await recordsIn(context, block, host) : [];
    for (let from = 0; from < records.length; from += RECORDS_ENDED_AT_ONCE) {
      if (from > 0 && isSpent()) return { released, complete: false, unreadable };
      const some = records.slice(from, from + RECORDS_ENDED_AT_ONCE);
      const freed = await inParallel(some, RECORDS_ENDED_AT_ONCE, (record) =>
        endRecord(context, record),
      );
      released.push(...freed.flat());
    }
  }
  return { released, complete: unreadable.length === 0, unreadable };
}

/** The host's records that hold slots of a block. */
async function recordsIn(
  context: Context,
  { space, slots }: Block,
  host: HostId,
): Promise<readonly AssignmentRecord[]> {
  const owners = await recordsOfSlots(context, space, slots.values());
  return [...new Set([...owners.values()].map(({ record }) => record))].filter(
    (record) => record.host === host,
  );
}
