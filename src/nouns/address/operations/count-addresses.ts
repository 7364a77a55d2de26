import { PAGE_MS_MAX } from "../../../base/limits.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { addressAt, type Cidr, contains } from "../../../net/cidr.ts";
import { type AddressPosition, blocksToSearch } from "./blocks-to-search.ts";
import { slotsInUse } from "./slots-in-use.ts";

/** A count of a space, or of a part of it. */
export interface CountWanted {
  readonly space: string;
  readonly cidr?: Cidr | undefined;
  /** The number of addresses before the position that the count tells. */
  readonly skip?: number | undefined;
  /** Addresses of IPv6 count only among the first of their pool, as many as this. */
  readonly placesMax: bigint;
}

export interface AddressCount {
  readonly ipv4: number;
  readonly ipv6: number;
  /** False if the time of a page was over before the end. */
  readonly isWhole: boolean;
  /** The position of a search that has passed the skipped addresses; absent if there are not that many. */
  readonly position?: AddressPosition | undefined;
}

/** Counts the assigned addresses from their blocks alone, in the order of a search. Prefixes are no addresses. */
export async function countAddresses(
  context: Context,
  { space, cidr, skip = 0, placesMax }: CountWanted,
): Promise<AddressCount> {
  const configuration = await context.store.readSpace(space);
  const startedAtMs = context.now();
  const count = { 4: 0, 6: 0 };
  let position: AddressPosition | undefined;
  for await (const { blocks, last } of blocksToSearch(context, configuration, { space, cidr })) {
    const isSpent = context.now() - startedAtMs > PAGE_MS_MAX;
    if (isSpent) return { ipv4: count[4], ipv6: count[6], isWhole: false, position };
    for (const block of blocks) {
      if (block.unreadable || block.whole) continue;
      for (const { ordinal, pool, current } of slotsInUse(context, configuration, block)) {
        const address = addressAt(block.cidr, ordinal);
        const { family, value } = address;
        if (current.state !== "assigned" || (cidr && !contains(cidr, address))) continue;
        if (family === 6 && value - (pool ?? block).cidr.base >= placesMax) continue;
        count[family]++;
        if (count[4] + count[6] === skip) position = { place: last?.place, after: address };
      }
    }
  }
  return { ipv4: count[4], ipv6: count[6], isWhole: true, position };
}
