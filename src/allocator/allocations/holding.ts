import type { Address } from "../../domain/address.ts";
import type { AssignmentRecord, Part } from "../../domain/allocation.ts";
import { type Block, heldBy } from "../../domain/block.ts";
import { contains, ordinalOf } from "../../domain/cidr.ts";
import type { Context } from "../core/context.ts";

/** Slots that a part of a record holds. */
export interface Holding {
  readonly part: Part;
  readonly block: Block;
  readonly ordinals: readonly number[];
}

/** What a record holds. */
export interface Granted {
  readonly record: AssignmentRecord;
  readonly held: readonly Holding[];
}

/** An address that a record holds, if it does. */
export async function grantedAt(
  context: Context,
  record: AssignmentRecord,
  address: Address,
): Promise<Granted | undefined> {
  for (const part of record.parts) {
    if (!contains(part.block, address)) continue;
    const block = await context.store.readBlock(record.place.space, part.block);
    const ordinal = ordinalOf(part.block, address);
    if (block && heldBy(block, part.token).includes(ordinal))
      return { record, held: [{ part, block, ordinals: [ordinal] }] };
  }
  return undefined;
}
