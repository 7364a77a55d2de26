import { handleHash } from "../../../base/hash.ts";
import { PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import type { Page } from "../../../base/listed.ts";
import { Rejection } from "../../../base/outcome.ts";
import { blockReader, type ReadBlock } from "../../../kernel/allocations/holding.ts";
import { pageBudget } from "../../../kernel/core/bounded-work.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { awaitAll, inParallel } from "../../../kernel/core/parallel.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import type { AllocationPlace } from "../../../kernel/values/allocation-place.ts";
import { takenUnder } from "../../../kernel/values/block.ts";
import { type Address, compareAddresses, formatAddress } from "../../../net/address.ts";
import { addressAt, type Cidr, formatCidr } from "../../../net/cidr.ts";
import { networkFinder } from "../../pool/application-pools.ts";
import { addressPage } from "./address-page.ts";
import { type AddressState, ownerOf } from "./read-address.ts";

/** The position in the addresses of a handle: an allocation or one of its addresses, to start after. */
export interface HandlePosition {
  readonly id: string;
  readonly keyed: boolean;
  readonly after?: Address | undefined;
}

/** The addresses of a handle that a page has, from a position on. */
interface HandlePageWanted {
  readonly space: string;
  readonly handle: string;
  readonly limit: number;
  readonly position?: HandlePosition | undefined;
}

/**
 * Returns a page of the addresses of a handle, strongly consistent: allocation by allocation, each in the order of
 * addresses. It is no snapshot: an address that is assigned or released between the pages may be missing.
 */
export async function readHandle(
  context: Context,
  wanted: HandlePageWanted,
): Promise<Page<AddressState, HandlePosition> | Rejection> {
  const page = await handlePage(context, wanted);
  return page.items.length > 0 || wanted.position || page.next
    ? page
    : new Rejection(
        "not_found",
        `Handle ${wanted.handle} has no addresses in space ${wanted.space}.`,
      );
}

/**
 * Returns the same for a search, which finds nothing in a handle without addresses.
 *
 * @param isWanted returns true for an address that the page lists
 * @param read counts what the page reads
 */
export async function handlePage(
  context: Context,
  wanted: HandlePageWanted,
  isWanted: (held: VisibleAddress, allocation: Allocation) => boolean = () => true,
  read = { allocations: 0, blocks: 0 },
): Promise<Page<AddressState, HandlePosition>> {
  const { handle, limit, position } = wanted;
  const page = addressPage(limit);
  const { items } = page;
  const budget = pageBudget(context);
  let next = position;
  const [allocations, { pools }] = await awaitAll(
    allocationsFrom(context, wanted),
    configurationOf(context, wanted.space),
  );
  read.allocations += allocations.length;
  const networkOf = networkFinder(pools);
  for (let from = 0; from < allocations.length; from += PAGE_READS_AT_ONCE) {
    if (from > 0 && next && budget.isSpent) return { items, next };
    const some = allocations.slice(from, from + PAGE_READS_AT_ONCE);
    const held = await inParallel(some, PAGE_READS_AT_ONCE, (allocation) => {
      // Handles whose hashes collide share a partition.
      if (allocation.handle !== handle) return Promise.resolve([]);
      read.blocks += allocation.parts.length;
      return visibleAddresses(allocation, blockReader(context, wanted.space));
    });
    for (const [i, allocation] of some.entries()) {
      const { id, keyed } = allocation.place;
      for (const one of held[i] ?? []) {
        const { address, state } = one;
        const isPast = position?.after && position.id === id && position.keyed === keyed;
        if (isPast && compareAddresses(address, position.after) <= 0) continue;
        if (next && page.isFull) return { items, next };
        if (isWanted(one, allocation)) page.add({ ...state, ...networkOf(state.pool) });
        next = { id, keyed, after: address };
      }
      next = { id, keyed };
    }
  }
  // The read returned as many allocations as it asked for, so there may be more.
  return next && allocations.length >= limit ? { items, next } : { items };
}

/**
 * Returns the allocations from a position on, as many as a page has addresses, beginning with the one at the position.
 */
async function allocationsFrom(
  { store }: Context,
  { space, handle, limit, position }: HandlePageWanted,
): Promise<readonly Allocation[]> {
  const hash = handleHash(handle);
  if (!position) return store.listAllocations(space, hash, { limit });
  const { id, keyed } = position;
  const place: AllocationPlace = { space, handleHash: hash, id, keyed };
  const [within, following] = await awaitAll(
    position.after && store.readAllocation(place),
    store.listAllocations(space, hash, { after: place, limit }),
  );
  return within ? [within, ...following] : following;
}

/** An address that an allocation visibly holds. */
export interface VisibleAddress {
  readonly address: Address;
  readonly state: AddressState;
  /** The prefix that the address stands for. */
  readonly prefix?: Cidr;
}

/** Lists the addresses that an allocation visibly holds, in order. */
export async function visibleAddresses(
  allocation: Allocation,
  readBlock: ReadBlock,
): Promise<readonly VisibleAddress[]> {
  const held = await inParallel(allocation.parts, PAGE_READS_AT_ONCE, async (part) => {
    const block = await readBlock(part.block);
    return takenUnder(block, part.token).map((ordinal) => {
      const address = addressAt(part.block, ordinal);
      const state: AddressState = {
        address: formatAddress(address),
        family: address.family,
        block: formatCidr(part.block),
        pool: part.pool ?? block?.pool ?? "",
        ...ownerOf({ allocation, part }, address, block),
      };
      return { address, state, ...(block?.whole && { prefix: block.cidr }) };
    });
  });
  return held.flat().sort((a, b) => compareAddresses(a.address, b.address));
}
