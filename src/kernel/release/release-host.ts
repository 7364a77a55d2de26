import { PAGE_READS_AT_ONCE } from "../../base/limits.ts";
import { CorruptItemError, orCorrupt } from "../../base/outcome.ts";
import { lookForOwners } from "../allocations/allocation-of-slot.ts";
import { namedBlocks } from "../blocks/blocks-by-name.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import type { Allocation } from "../values/allocation.ts";
import type { Block } from "../values/block.ts";
import { shuffled } from "../values/fresh.ts";
import { isOfNode } from "../values/handle.ts";
import type { HostId } from "../values/host.ts";
import type { Slot } from "../values/slot.ts";
import { BoundedRelease, type Released } from "./bounded-release.ts";

/** Slots of a block whose allocations a release finds before it ends them: all slots of a block of the default size. */
const SLOTS_PER_LOOK = 64;

/**
 * Releases every address of a host, in its own blocks and in those that it borrows from. Its affinities and
 * borrowed-block entries name the blocks (I11), whoever owns them now. The allocation of each slot names its host. It
 * is ended as a release by handle ends it, so addresses that others borrowed from the host's blocks stay theirs. An
 * assign in progress is ended or kept as a whole. Instances whose kind keeps its addresses keep them for another host.
 * Prefixes stay, and what a CiliumNode has: they go back by their node's own routes, or with its end (I18, I20).
 * A repeat continues what one request does not finish.
 *
 * @param isMeant returns false for an allocation that stays; absent: those of CiliumNodes stay
 */
export async function releaseHost(
  context: Context,
  space: string,
  host: HostId,
  isMeant: (allocation: Allocation) => boolean = ({ handle }) => !isOfNode(handle),
): Promise<Released> {
  const { store, random } = context;
  const release = new BoundedRelease(context);
  const named = await namedBlocks(context, space, host);
  for (const each of named.unreadable) release.leave(each);
  // The order is random, so that no block always waits behind the same ones.
  const cidrs = shuffled(named.cidrs, random);
  for (let from = 0; from < cidrs.length && release.mayBegin(); from += PAGE_READS_AT_ONCE) {
    const some = cidrs.slice(from, from + PAGE_READS_AT_ONCE);
    const blocks = await release.trying(() =>
      inParallel(some, PAGE_READS_AT_ONCE, (cidr) => orCorrupt(store.readBlock(space, cidr))),
    );
    for (const block of blocks ?? []) {
      if (block instanceof CorruptItemError) release.leave(block);
      else if (block && !block.whole) await releaseIn(context, release, block, { host, isMeant });
    }
  }
  return release.answer();
}

/**
 * Ends the host's allocations that hold slots of a block, a few slots at a time, in random order. A large block may
 * have more slots than a request has time for; with a random order none of them waits forever.
 */
async function releaseIn(
  context: Context,
  release: BoundedRelease,
  block: Block,
  { host, isMeant }: Meant,
): Promise<void> {
  const { space, slots } = block;
  const taken = [...slots.values()].filter((slot) => slot.kind === "taken");
  const byToken = new Map(taken.map((slot) => [slot.token, slot]));
  const mixed = shuffled([...byToken.values()], context.random);
  for (let from = 0; from < mixed.length && release.mayBegin(); from += SLOTS_PER_LOOK) {
    const some = mixed.slice(from, from + SLOTS_PER_LOOK);
    const allocations = await release.trying(() =>
      allocationsOf(context, release, space, some, host),
    );
    const [instances, others] = split((allocations ?? []).filter(isMeant));
    await release.endInstances(instances, block);
    // The release by host does not find them again, so settling gains nothing.
    await release.end(others, { settles: false });
  }
}

/** The allocations that a release ends. */
interface Meant {
  readonly host: HostId;
  isMeant(allocation: Allocation): boolean;
}

/** Tells the allocations of instances from the others. */
function split(allocations: readonly Allocation[]) {
  const isOfInstance = ({ workload }: Allocation) => workload !== undefined;
  return [
    allocations.filter(isOfInstance),
    allocations.filter((allocation) => !isOfInstance(allocation)),
  ] as const;
}

/** Returns the host's allocations that hold these slots. */
async function allocationsOf(
  context: Context,
  release: BoundedRelease,
  space: string,
  slots: readonly Slot[],
  host: HostId,
): Promise<readonly Allocation[]> {
  const { owners, unreadable } = await lookForOwners(context, space, slots);
  for (const each of unreadable) release.leave(each);
  const allocations = new Set([...owners.values()].map(({ allocation }) => allocation));
  return [...allocations].filter((allocation) => allocation.host === host);
}
