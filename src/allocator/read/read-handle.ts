import { type Address, compareAddresses, formatAddress } from "../../domain/address.ts";
import type { Allocation } from "../../domain/allocation.ts";
import type { AllocationPlace } from "../../domain/allocation-place.ts";
import { heldBy } from "../../domain/block.ts";
import { addressAt, formatCidr } from "../../domain/cidr.ts";
import { handleHash } from "../../domain/hash.ts";
import { ATTRIBUTE_CHARACTERS_PER_PAGE, PAGE_READS_AT_ONCE } from "../../domain/limits.ts";
import type { Page } from "../../domain/listed.ts";
import { networksOf } from "../../domain/network-of-pool.ts";
import { Rejection } from "../../domain/outcome.ts";
import { longCharactersOf } from "../../domain/pool-network.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { pageBudget } from "../core/page-budget.ts";
import { allOf, inParallel } from "../core/parallel.ts";
import { type AddressState, ownerOf } from "./read-address.ts";

/** The position in the addresses of a handle: an allocation or one of its addresses, to start after. */
export interface HandlePosition {
  readonly id: string;
  readonly keyed: boolean;
  readonly after?: Address | undefined;
}

/**
 * Returns a page of the addresses of a handle, strongly consistent: allocation by allocation, each in the order of
 * addresses. It is no snapshot: an address that is assigned or released between the pages may be missing.
 */
export async function readHandle(
  context: Context,
  wanted: {
    readonly space: string;
    readonly handle: string;
    readonly limit: number;
    readonly position?: HandlePosition | undefined;
  },
): Promise<Page<AddressState, HandlePosition> | Rejection> {
  const { handle, limit, position } = wanted;
  const items: AddressState[] = [];
  const budget = pageBudget(context);
  let characters = 0;
  let next = position;
  const [allocations, { pools }] = await allOf(
    allocationsFrom(context, wanted),
    configurationOf(context, wanted.space),
  );
  const networkOf = networksOf(pools);
  for (let from = 0; from < allocations.length; from += PAGE_READS_AT_ONCE) {
    if (from > 0 && next && budget.isSpent) return { items, next };
    const some = allocations.slice(from, from + PAGE_READS_AT_ONCE);
    const held = await inParallel(some, PAGE_READS_AT_ONCE, (allocation) =>
      // Handles whose hashes collide share a partition.
      allocation.handle === handle ? addressesOf(context, allocation) : Promise.resolve([]),
    );
    for (const [i, { place, attributes, owners }] of some.entries()) {
      const { id, keyed } = place;
      const weight = JSON.stringify(attributes).length;
      for (const { address, state } of held[i] ?? []) {
        const isPast = position?.after && position.id === id && position.keyed === keyed;
        if (isPast && compareAddresses(address, position.after) <= 0) continue;
        const full = items.length === limit || characters > ATTRIBUTE_CHARACTERS_PER_PAGE;
        if (next && full) return { items, next };
        const ofPool = networkOf(state.pool);
        items.push({ ...state, ...ofPool });
        // Until a caller changes the owners, they repeat the attributes.
        const changed = owners.get(state.address);
        characters += weight + (changed ? JSON.stringify(changed).length : weight);
        characters += ofPool.network ? longCharactersOf(ofPool.network) : 0;
        next = { id, keyed, after: address };
      }
      next = { id, keyed };
    }
  }
  // The read returned as many allocations as it asked for, so there may be more.
  if (next && allocations.length >= limit) return { items, next };
  return items.length > 0 || position
    ? { items }
    : new Rejection("not_found", `Handle ${handle} has no addresses in space ${wanted.space}.`);
}

/**
 * Returns the allocations from a position on, as many as a page has addresses, beginning with the one at the position.
 */
async function allocationsFrom(
  { store }: Context,
  {
    space,
    handle,
    limit,
    position,
  }: {
    readonly space: string;
    readonly handle: string;
    readonly limit: number;
    readonly position?: HandlePosition | undefined;
  },
): Promise<readonly Allocation[]> {
  const hash = handleHash(handle);
  if (!position) return store.listAllocations(space, hash, { limit });
  const { id, keyed } = position;
  const place: AllocationPlace = { space, handleHash: hash, id, keyed };
  const [within, following] = await allOf(
    position.after && store.readAllocation(place),
    store.listAllocations(space, hash, { after: place, limit }),
  );
  return within ? [within, ...following] : following;
}

/** Lists the addresses that an allocation visibly holds, in order. */
async function addressesOf({ store }: Context, allocation: Allocation) {
  const held = await inParallel(allocation.parts, PAGE_READS_AT_ONCE, async (part) => {
    const block = await store.readBlock(allocation.place.space, part.block);
    return heldBy(block, part.token).map((ordinal) => {
      const address = addressAt(part.block, ordinal);
      const state: AddressState = {
        address: formatAddress(address),
        family: address.family,
        block: formatCidr(part.block),
        pool: part.pool ?? block?.pool ?? "",
        ...ownerOf({ allocation, part }, address, block),
      };
      return { address, state };
    });
  });
  return held.flat().sort((a, b) => compareAddresses(a.address, b.address));
}
