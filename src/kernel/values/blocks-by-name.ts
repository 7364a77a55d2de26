import type { Cidr } from "../../net/cidr.ts";
import type { Block } from "./block.ts";

/** Blocks by space and CIDR. The checker looks one up for every part of every allocation. */
export type BlocksByName = ReadonlyMap<string, Block>;

export const blocksByName = (blocks: readonly Block[]): BlocksByName =>
  new Map(blocks.map((block) => [nameOfBlock(block.space, block.cidr), block]));

export const nameOfBlock = (space: string, cidr: Cidr) => `${space} ${nameOfCidr(cidr)}`;

/**
 * The names of CIDRs. The simulation asks for the same ones after every step, and a CIDR never
 * changes.
 */
const namesOfCidrs = new WeakMap<Cidr, string>();

/** Returns a key of a CIDR. It is no text for people, because it is computed for every part of every allocation. */
function nameOfCidr(cidr: Cidr): string {
  const known = namesOfCidrs.get(cidr);
  if (known !== undefined) return known;
  const name = `${cidr.family} ${cidr.base}/${cidr.prefix}`;
  namesOfCidrs.set(cidr, name);
  return name;
}
