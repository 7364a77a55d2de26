import type { Address } from "../../net/address.ts";
import { type Cidr, contains, formatCidr, ordinalOf } from "../../net/cidr.ts";
import type { Context } from "../core/context.ts";
import type { Allocation, Part } from "../values/allocation.ts";
import { type Block, heldBy } from "../values/block.ts";

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

export type ReadBlock = (cidr: Cidr) => Promise<Block | undefined>;

export const blockReader =
  ({ store }: Context, space: string): ReadBlock =>
  (cidr) =>
    store.readBlock(space, cidr);

/** Returns a reader that reads each block once, for callers that need all addresses of a block at one moment. */
export function eachOnce(read: ReadBlock): ReadBlock {
  const reads = new Map<string, ReturnType<ReadBlock>>();
  return (cidr) => {
    const name = formatCidr(cidr);
    const block = reads.get(name) ?? read(cidr);
    reads.set(name, block);
    return block;
  };
}

/** Returns an address with its allocation if the allocation holds it. */
export async function grantedAt(
  readBlock: ReadBlock,
  allocation: Allocation,
  address: Address,
): Promise<Granted | undefined> {
  for (const part of allocation.parts) {
    if (!contains(part.block, address)) continue;
    const block = await readBlock(part.block);
    const ordinal = ordinalOf(part.block, address);
    if (block && heldBy(block, part.token).includes(ordinal))
      return { allocation, held: [{ part, block, ordinals: [ordinal] }] };
  }
  return undefined;
}
