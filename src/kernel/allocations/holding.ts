import { PARTS_FREED_AT_ONCE } from "../../base/limits.ts";
import type { Address } from "../../net/address.ts";
import { type Cidr, contains, formatCidr, ordinalOf } from "../../net/cidr.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import type { Allocation, Part } from "../values/allocation.ts";
import { type Block, takenUnder } from "../values/block.ts";

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
    if (block && takenUnder(block, part.token).includes(ordinal))
      return { allocation, held: [{ part, block, ordinals: [ordinal] }] };
  }
  return undefined;
}

/** Returns the addresses that an allocation visibly holds. */
export async function holdingsOf(
  context: Context,
  allocation: Allocation,
): Promise<readonly Holding[]> {
  const { store } = context;
  const looks = await inParallel(allocation.parts, PARTS_FREED_AT_ONCE, async (part) =>
    heldOf(part, await store.readBlock(allocation.place.space, part.block)),
  );
  return looks.flat();
}

export function isWhole(allocation: Allocation, held: readonly Holding[]): boolean {
  return held.reduce((sum, { ordinals }) => sum + ordinals.length, 0) === allocation.want;
}

/** Returns what a part of an allocation holds in its block: one entry, or none. */
export function heldOf(part: Part, block: Block | undefined): Holding[] {
  const ordinals = takenUnder(block, part.token);
  return block && ordinals.length > 0 ? [{ part, block, ordinals }] : [];
}
