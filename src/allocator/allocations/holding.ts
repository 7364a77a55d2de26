import type { Address } from "../../domain/address.ts";
import type { Allocation, Part } from "../../domain/allocation.ts";
import { type Block, heldBy } from "../../domain/block.ts";
import { contains, ordinalOf } from "../../domain/cidr.ts";
import type { Context } from "../core/context.ts";

/** Slots that a part of an allocation holds. */
export interface Holding {
  readonly part: Part;
  readonly block: Block;
  readonly ordinals: readonly number[];
}

/** The addresses that an allocation holds. */
export interface Granted {
  readonly allocation: Allocation;
  readonly held: readonly Holding[];
}

/** Returns an address with its allocation if the allocation holds it. */
export async function grantedAt(
  context: Context,
  allocation: Allocation,
  address: Address,
): Promise<Granted | undefined> {
  for (const part of allocation.parts) {
    if (!contains(part.block, address)) continue;
    const block = await context.store.readBlock(allocation.place.space, part.block);
    const ordinal = ordinalOf(part.block, address);
    if (block && heldBy(block, part.token).includes(ordinal))
      return { allocation, held: [{ part, block, ordinals: [ordinal] }] };
  }
  return undefined;
}
