import { SEARCHED_ALLOCATIONS_MAX } from "../../../base/limits.ts";
import type { ListedPage } from "../../../base/listed.ts";
import type { CorruptItemError } from "../../../base/outcome.ts";
import { lookForOwners, type SlotOwner } from "../../../kernel/allocations/allocation-of-slot.ts";
import { pageBudget } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { Block } from "../../../kernel/values/block.ts";
import type { Slot } from "../../../kernel/values/slot.ts";
import { compareAddresses } from "../../../net/address.ts";
import { addressAt, intervalOf } from "../../../net/cidr.ts";
import { type AddressPosition, blocksToSearch } from "./blocks-to-search.ts";

/** The last block that a list has looked at. With a name, the list continues in the next block after this name. */
export interface HolderPosition extends AddressPosition {
  readonly name?: string | undefined;
}

export interface HoldersWanted {
  readonly space: string;
  readonly limit: number;
  readonly position?: HolderPosition | undefined;
}

/** The number of items that a page read. */
interface Read {
  blocks: number;
  allocations: number;
}

export interface HoldersFound<Holder> extends ListedPage<Holder, HolderPosition> {
  readonly read: Read;
}

/**
 * Returns a page of what holds addresses: pool by pool, block by block, and in a block by name. Each comes once, in the block that
 * `firstIn` chooses for it. It reads every block and every allocation, because no item lists them.
 *
 * @param firstIn returns those of a block that the list has there
 */
export async function listHolders<Holder extends { readonly name: string }>(
  context: Context,
  { space, limit, position }: HoldersWanted,
  firstIn: (block: Block, owners: readonly SlotOwner[]) => Promise<readonly Holder[]>,
): Promise<HoldersFound<Holder>> {
  const configuration = await context.store.readSpace(space);
  const items: Holder[] = [];
  // What holds addresses of an unreadable pool is not found, so the list names the pool.
  const unreadable: CorruptItemError[] = configuration.unreadablePools.map(
    (pool) => pool.unreadable,
  );
  const read: Read = { blocks: 0, allocations: 0 };
  const budget = pageBudget(context);
  const found = (next?: HolderPosition) => ({ items, unreadable, read, ...(next && { next }) });
  let next = position;
  for await (const stretch of blocksToSearch(context, configuration, { space, position })) {
    if (!stretch.isEnd) budget.look();
    unreadable.push(...stretch.unreadable);
    const place = stretch.last?.place;
    for (const block of stretch.blocks) {
      if (block.unreadable) {
        unreadable.push(block.unreadable);
        continue;
      }
      const looked = await lookForOwners(context, space, takenSlots(block));
      read.blocks++;
      read.allocations += looked.reads;
      unreadable.push(...looked.unreadable);
      const holders = (await firstIn(block, [...looked.owners.values()])).toSorted(byName);
      const before = addressAt(block.cidr, -1);
      // The block of the position may be gone, or unreadable, since the last page. Its name says nothing of another block.
      const isAt =
        place === position?.place && position && compareAddresses(before, position.after) === 0;
      const after = isAt ? position.name : undefined;
      for (const holder of holders) {
        if (after !== undefined && holder.name <= after) continue;
        if (next && items.length === limit) return found(next);
        items.push(holder);
        next = { place, after: before, name: holder.name };
      }
      const { family, last } = intervalOf(block.cidr);
      next = { place, after: { family, value: last } };
      if (read.allocations >= SEARCHED_ALLOCATIONS_MAX || budget.isSpent) return found(next);
    }
    next = stretch.last ?? next;
    if (next && budget.isSpent) return found(next);
  }
  return found();
}

/** Returns the slots of a block that somebody holds. A quarantined one has a handle too. */
export const takenSlots = ({ slots }: Block): readonly Slot[] =>
  [...slots.values()].filter(({ kind }) => kind === "taken");

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
