import { PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import { allocationsOfSlots } from "../../../kernel/allocations/allocation-of-slot.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import { hostId } from "../../../kernel/values/host.ts";
import type { Cidr } from "../../../net/cidr.ts";

interface OfHost {
  readonly space: string;
  readonly node: string;
}

/** Returns the blocks in which a host has something without owning them. All prefixes that it has are among them (I11). */
export async function blocksOnHost(
  { store }: Context,
  { space, node }: OfHost,
): Promise<readonly Cidr[]> {
  const borrowed = await store.listBorrowedBlocks(space, hostId("host", node));
  const [unreadable] = borrowed.unreadable;
  if (unreadable) throw unreadable;
  // The entries may exist under keys that this version does not know.
  if (borrowed.items.length === 0) await store.checkKeys();
  return borrowed.items.map(({ block }) => block);
}

/** Returns the allocations of those blocks that are prefixes of the host. */
export async function allocationsOnHost(
  context: Context,
  { space, node }: OfHost,
  cidrs: readonly Cidr[],
): Promise<readonly Allocation[]> {
  const { store } = context;
  const blocks = await inParallel(cidrs, PAGE_READS_AT_ONCE, (cidr) =>
    store.readBlock(space, cidr),
  );
  const slots = blocks.flatMap((block) => (block?.whole ? [...block.slots.values()] : []));
  const owners = await allocationsOfSlots(context, space, slots);
  const allocations = [...owners.values()].map(({ allocation }) => allocation);
  const host = hostId("host", node);
  return [...new Set(allocations)].filter((allocation) => allocation.host === host);
}
