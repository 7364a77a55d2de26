import { SEARCHED_ALLOCATIONS_MAX } from "../../../base/limits.ts";
import type { ListedPage } from "../../../base/listed.ts";
import { type CorruptItemError, Rejection } from "../../../base/outcome.ts";
import { lookForOwners, type SlotOwner } from "../../../kernel/allocations/allocation-of-slot.ts";
import { notFound, pageBudget } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { Block } from "../../../kernel/values/block.ts";
import { hostReservedIn } from "../../../kernel/values/host.ts";
import { compareAddresses, formatAddress } from "../../../net/address.ts";
import { addressAt, formatCidr } from "../../../net/cidr.ts";
import { networkFinder } from "../../pool/application-pools.ts";
import { poolNamed, type SpaceConfiguration } from "../../pool/configuration.ts";
import { poolOverBlock } from "../../pool/of-address.ts";
import { type AddressFilter, hostOf, passes } from "./address-filter.ts";
import { addressPage } from "./address-page.ts";
import { addressesOfValue, alone, type IndexPosition } from "./addresses-of-value.ts";
import {
  type AddressPosition,
  blocksOfHost,
  blocksToSearch,
  isInOneBlock,
  type Stretch,
} from "./blocks-to-search.ts";
import { indexFor } from "./index-for.ts";
import { type AddressState, keeperOf, ownedAddress } from "./read-address.ts";
import { type HandlePosition, handlePage } from "./read-handle.ts";
import { type SlotInUse, slotsInUse } from "./slots-in-use.ts";

/** Allocations that a search reads before it looks whether the page is full: with the most attributes they take 12 MB. */
const SEARCHED_AT_ONCE_MAX = 64;

/** A search for addresses, from a position on: one in the handle if the search names a handle. */
export interface AddressSearch extends AddressFilter {
  readonly space: string;
  readonly limit: number;
  readonly position?: SearchPosition | undefined;
}

export type SearchPosition = HandlePosition | IndexPosition | AddressPosition;

/** The key by which a search reads, and the number of items that its page read. */
interface SearchRead {
  readonly by: "handle" | "host" | "attribute" | "cidr" | "pool" | "space";
  /** The indexed attribute by which it reads. */
  readonly attribute?: string;
  /** An indexed attribute by which it would read, if the index were complete. */
  readonly building?: string;
  entries?: number;
  blocks: number;
  allocations: number;
}

export interface AddressesFound extends ListedPage<AddressState, SearchPosition> {
  readonly read: SearchRead;
}

/**
 * Returns a page of the addresses that are not free and meet all conditions, strongly consistent. It reads by the narrowest key that
 * the conditions allow: the handle, the host, an indexed attribute, the blocks of the CIDR, those of the pool, or all pools. The other
 * conditions filter what it read. It is no snapshot: an address that is assigned or released between the pages may be missing.
 */
export async function listAddresses(
  context: Context,
  search: AddressSearch,
): Promise<AddressesFound | Rejection> {
  const { space, pool, host, handle, cidr } = search;
  const configuration = await context.store.readSpace(space);
  if (pool !== undefined && !poolNamed(configuration, pool)) return notFound(space, "pool", pool);
  if (handle !== undefined)
    return ofHandle(context, { ...search, handle }, { by: "handle", ...NOTHING_READ });
  const isNarrow = host !== undefined || (cidr && isInOneBlock(configuration, cidr));
  const index = isNarrow ? undefined : await indexFor(context, configuration, search);
  if (index instanceof Rejection) return index;
  if (index?.kind === "complete") {
    const { attribute, value, position } = index;
    const read: SearchRead = { by: "attribute", attribute, ...NOTHING_READ, entries: 0 };
    return addressesOfValue(context, configuration, value, { ...search, position }, read);
  }
  const by = host ? "host" : cidr ? "cidr" : pool ? "pool" : "space";
  const read: SearchRead = { by, ...(index && { building: index.attribute }), ...NOTHING_READ };
  const wanted = { ...search, position: ofBlocks(search.position) };
  const stretches = host
    ? blocksOfHost(context, configuration, { ...wanted, host })
    : blocksToSearch(context, configuration, wanted);
  return inStretches(context, configuration, wanted, stretches, read);
}

const NOTHING_READ = { blocks: 0, allocations: 0 };

async function ofHandle(
  context: Context,
  search: AddressSearch & { readonly handle: string },
  read: SearchRead,
): Promise<AddressesFound> {
  const { position: asked } = search;
  const position = asked && "id" in asked && !("handleHash" in asked) ? asked : undefined;
  const page = await handlePage(
    context,
    { ...search, position },
    ({ state, address, prefix = alone(address) }, allocation) =>
      passes(search, { state, network: prefix, host: hostOf(allocation) }),
    read,
  );
  return { ...page, unreadable: [], read };
}

const ofBlocks = (position: AddressSearch["position"]): AddressPosition | undefined =>
  position && "id" in position ? undefined : position;

async function inStretches(
  context: Context,
  configuration: SpaceConfiguration,
  search: AddressSearch & { readonly position: AddressPosition | undefined },
  stretches: AsyncGenerator<Stretch>,
  read: SearchRead,
): Promise<AddressesFound> {
  const { space, limit, position } = search;
  const page = addressPage(limit);
  // Blocks of an unreadable pool are not found, so the list names the pool.
  const unread = read.by === "cidr" || read.by === "space" ? configuration.unreadablePools : [];
  const unreadable: CorruptItemError[] = unread.map((pool) => pool.unreadable);
  const budget = pageBudget(context);
  const networkOf = networkFinder(configuration.pools);
  const found = (next?: AddressPosition): AddressesFound => ({
    items: page.items,
    unreadable,
    ...(next && { next }),
    read,
  });
  let next = position;
  for await (const { blocks, unreadable: lost, last, isEnd } of stretches) {
    if (!isEnd) budget.look();
    unreadable.push(...lost);
    for (const block of blocks) {
      if (block.unreadable) {
        unreadable.push(block.unreadable);
        continue;
      }
      read.blocks++;
      const within = last?.place === position?.place ? position?.after : undefined;
      const slots = candidatesIn(context, configuration, block, search.state).filter(
        ({ ordinal }) => !within || compareAddresses(addressAt(block.cidr, ordinal), within) > 0,
      );
      for (let from = 0; from < slots.length; ) {
        const some = slots.slice(from, from + atOnce(limit - page.items.length));
        from += some.length;
        const { owners, ...looked } = await lookForOwners(
          context,
          space,
          some.flatMap(({ slot }) => slot ?? []),
        );
        read.allocations += looked.reads;
        unreadable.push(...looked.unreadable);
        for (const each of some) {
          if (next && page.isFull) return found(next);
          const candidate = candidateOf(block, each, owners, networkOf);
          if (passes(search, candidate)) page.add(candidate.state);
          next = { place: last?.place, after: addressAt(block.cidr, each.ordinal) };
        }
        if (next && (read.allocations >= SEARCHED_ALLOCATIONS_MAX || budget.isSpent))
          return found(next);
      }
    }
    next = last ?? next;
    if (next && budget.isSpent) return found(next);
  }
  return found();
}

/** Returns how many allocations to read at once for this many more addresses. */
const atOnce = (left: number): number => Math.max(1, Math.min(left, SEARCHED_AT_ONCE_MAX));

/** A slot in use, or a host-reserved address, which has no slot. */
type InUse = SlotInUse | (Omit<SlotInUse, "slot"> & { readonly slot?: undefined });

/** Returns the slots of a block that can have a state, and its host-reserved addresses, in the order of addresses. */
function candidatesIn(
  context: Context,
  configuration: SpaceConfiguration,
  block: Block,
  state: AddressFilter["state"],
): readonly InUse[] {
  const kept = hostReservedIn(block).map((ordinal): InUse => {
    const pool = poolOverBlock(configuration, block.cidr, addressAt(block.cidr, ordinal));
    return { ordinal, pool, current: { state: "hostReserved" } };
  });
  // Only its allocation says that an address is kept.
  const slotState = state === "kept" ? "assigned" : state;
  return [...slotsInUse(context, configuration, block), ...kept]
    .filter(({ current }) => slotState === undefined || current.state === slotState)
    .sort((a, b) => a.ordinal - b.ordinal);
}

function candidateOf(
  block: Block,
  { ordinal, slot, pool, current }: InUse,
  owners: ReadonlyMap<string, SlotOwner>,
  networkOf: ReturnType<typeof networkFinder>,
) {
  const address = addressAt(block.cidr, ordinal);
  const network = block.whole ? block.cidr : alone(address);
  const base: AddressState = {
    address: formatAddress(address),
    family: address.family,
    block: formatCidr(block.cidr),
    pool: pool?.name ?? block.pool,
    ...current,
  };
  if (!slot) return { state: { ...base, ...keeperOf(block) }, network, host: block.host };
  const owner = slot.kind === "foreign" ? undefined : owners.get(slot.token);
  if (!owner) return { state: base, network, host: undefined };
  const { handle } = owner.allocation;
  if (slot.kind !== "taken") return { state: { ...base, handle }, network, host: undefined };
  const state = ownedAddress(base, owner, address, block, networkOf);
  return { state, network, host: hostOf(owner.allocation) };
}
