import { EVERY_SHARD } from "../../../base/hash.ts";
import { PAGE_READS_AT_ONCE, SEARCHED_ALLOCATIONS_MAX } from "../../../base/limits.ts";
import type { ListedPage } from "../../../base/listed.ts";
import { CorruptItemError, orCorrupt } from "../../../base/outcome.ts";
import { eachOnce, type ReadBlock } from "../../../kernel/allocations/holding.ts";
import { pageBudget } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import type { AllocationPlace } from "../../../kernel/values/allocation-place.ts";
import { type IndexedValue, shardOfEntry } from "../../../kernel/values/index-entry.ts";
import { type Address, BITS, compareAddresses } from "../../../net/address.ts";
import type { Cidr } from "../../../net/cidr.ts";
import { networkFinder } from "../../pool/application-pools.ts";
import type { SpaceConfiguration } from "../../pool/configuration.ts";
import { type AddressFilter, hostOf, passes } from "./address-filter.ts";
import { addressPage } from "./address-page.ts";
import type { AddressState } from "./read-address.ts";
import { type VisibleAddress, visibleAddresses } from "./read-handle.ts";

/** A page of a search by an index reads at most this many entries of a partition at once: 4 read units. */
const INDEX_ENTRIES_AT_ONCE = 64;

/** The last allocation in the order of an index that a search has looked at, or the last of its addresses. */
export interface IndexPosition extends Pick<AllocationPlace, "handleHash" | "id" | "keyed"> {
  readonly after?: Address | undefined;
}

/** The number of items that a page read. */
interface Read {
  entries?: number;
  blocks: number;
  allocations: number;
}

interface ValueWanted extends AddressFilter {
  readonly space: string;
  readonly limit: number;
  readonly position?: IndexPosition | undefined;
}

/**
 * Returns a page of the addresses that have a value of an indexed attribute and meet all other conditions, in the order of the index:
 * shard by shard, and in each by the handle's hash. An entry only suggests: the allocation says what it has, and its block what it holds.
 */
export async function addressesOfValue<Counted extends Read>(
  context: Context,
  { pools }: SpaceConfiguration,
  value: IndexedValue,
  wanted: ValueWanted,
  read: Counted,
): Promise<ListedPage<AddressState, IndexPosition> & { readonly read: Counted }> {
  const { space, limit, position } = wanted;
  const page = addressPage(limit);
  const unreadable: CorruptItemError[] = [];
  const budget = pageBudget(context);
  const networkOf = networkFinder(pools);
  const readBlock = eachOnce((cidr) => {
    read.blocks++;
    return context.store.readBlock(space, cidr);
  });
  const found = (next?: IndexPosition) => ({
    items: page.items,
    unreadable,
    ...(next && { next }),
    read,
  });
  let next = position;
  for await (const { places, unreadable: lost } of placesOf(context, value, position)) {
    budget.look();
    unreadable.push(...lost);
    read.entries = (read.entries ?? 0) + places.length + lost.length;
    for (let from = 0; from < places.length; from += PAGE_READS_AT_ONCE) {
      const some = places.slice(from, from + PAGE_READS_AT_ONCE);
      read.allocations += some.length;
      const looked = await inParallel(some, PAGE_READS_AT_ONCE, (place) =>
        orCorrupt(heldAt(context, place, readBlock)),
      );
      for (const [i, held] of looked.entries()) {
        const { handleHash, id, keyed } = some[i] as AllocationPlace;
        if (held instanceof CorruptItemError) unreadable.push(held);
        else
          for (const one of held) {
            const isPast = position?.after && isAt(position, { handleHash, id, keyed });
            if (isPast && compareAddresses(one.address, position.after) <= 0) continue;
            if (next && page.isFull) return found(next);
            const { state } = one;
            if (passes(wanted, candidateOf(one))) page.add({ ...state, ...networkOf(state.pool) });
            next = { handleHash, id, keyed, after: one.address };
          }
        next = { handleHash, id, keyed };
      }
      if (next && (read.allocations >= SEARCHED_ALLOCATIONS_MAX || budget.isSpent))
        return found(next);
    }
  }
  return found();
}

/** Yields the places that the entries of a value name, from a position on. The allocation at the position comes again if it is cut. */
export async function* placesOf(context: Context, value: IndexedValue, position?: IndexPosition) {
  const { store } = context;
  const start = position && { space: value.space, ...position };
  const first = start ? shardOfEntry(start) : 0;
  const list = (shard: number, after?: AllocationPlace) =>
    store.listIndexEntries(value, shard, { limit: INDEX_ENTRIES_AT_ONCE, after });
  if (start?.after) yield { places: [placeOf(start)], unreadable: [] };
  const shards = EVERY_SHARD.slice(first);
  for (let from = 0; from < shards.length; from += PAGE_READS_AT_ONCE) {
    const some = shards.slice(from, from + PAGE_READS_AT_ONCE);
    const begun = await inParallel(some, PAGE_READS_AT_ONCE, (shard) =>
      list(shard, shard === first ? start && placeOf(start) : undefined),
    );
    for (const [i, shard] of some.entries()) {
      let listed = begun[i];
      while (listed) {
        const { items, unreadable, next } = listed;
        yield { places: items.map(({ place }) => place), unreadable };
        listed = next && (await list(shard, next));
      }
    }
  }
}

const placeOf = ({ space, handleHash, id, keyed }: AllocationPlace): AllocationPlace => ({
  space,
  handleHash,
  id,
  keyed,
});

const isAt = (one: IndexPosition, other: IndexPosition): boolean =>
  one.handleHash === other.handleHash && one.id === other.id && one.keyed === other.keyed;

/** Returns the addresses of an allocation with what a search asks of them. */
async function heldAt(
  { store }: Context,
  place: AllocationPlace,
  readBlock: ReadBlock,
): Promise<readonly HeldBy[]> {
  const allocation = await store.readAllocation(place);
  if (!allocation) return [];
  const held = await visibleAddresses(allocation, readBlock);
  return held.map((one) => ({ ...one, allocation }));
}

interface HeldBy extends VisibleAddress {
  readonly allocation: Allocation;
}

const candidateOf = ({ state, address, prefix, allocation }: HeldBy) => ({
  state,
  network: prefix ?? alone(address),
  host: hostOf(allocation),
});

/** Returns the network of one address. */
export const alone = ({ family, value }: Address): Cidr => ({
  family,
  base: value,
  prefix: BITS[family],
});
