import { type Cidr, formatCidr } from "../../net/cidr.ts";
import type { ListedAddress } from "../../nouns/application/application.ts";
import { blockOf } from "../values/block-group.ts";

/** Listed addresses of one block. */
export interface ListedInBlock<Listed extends ListedAddress = ListedAddress> {
  readonly cidr: Cidr;
  readonly addresses: readonly Listed[];
}

/** Returns the addresses that an application lists by their blocks, in the order of the list. */
export function blocksOfListed<Listed extends ListedAddress>(
  addresses: readonly Listed[],
): readonly ListedInBlock<Listed>[] {
  const found = new Map<string, { readonly cidr: Cidr; readonly addresses: Listed[] }>();
  for (const listed of addresses) {
    const cidr = blockOf(listed.address, listed.blockSize);
    const known = found.get(formatCidr(cidr)) ?? { cidr, addresses: [] };
    known.addresses.push(listed);
    found.set(formatCidr(cidr), known);
  }
  return [...found.values()];
}
