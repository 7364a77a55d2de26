import { type Networks, networkAt } from "../../net/address-set.ts";
import { type Cidr, formatCidr } from "../../net/cidr.ts";
import type { Random } from "../values/fresh.ts";

/**
 * Returns the block groups of a set that one request reads, at most `countMax`. If the set has more, all but the first are drawn at
 * random, so that the next request reads others.
 *
 * @param from.first the group that comes first
 * @param from.next the number of the group that comes next if all are read; the others follow it in order
 */
export function someGroups(
  groups: Networks,
  { first, next }: { readonly first: Cidr; readonly next: bigint },
  countMax: number,
  { fraction }: Random,
): readonly Cidr[] {
  const { count } = groups;
  const order = new Map([[formatCidr(first), first]]);
  const isWhole = count <= BigInt(countMax);
  for (let i = 0n; order.size < (isWhole ? Number(count) : countMax); i++) {
    const k = isWhole ? next + i : BigInt(Math.floor(fraction() * Number(count)));
    const group = networkAt(groups, k % count);
    order.set(formatCidr(group), group);
  }
  return [...order.values()];
}
