import type { HostReserved } from "../domain/host-reserved.ts";
import { mapOf, numberOf, textOf } from "./attribute.ts";
import type { Item } from "./item.ts";

/**
 * Host-reserved addresses, as the items of blocks and of the affinities of their claims store them.
 */
interface Reserving {
  readonly hostReserved?: HostReserved;
}

export const hostReservedItem = ({ hostReserved }: Reserving) =>
  hostReserved ? { hostReserved: { ...hostReserved } } : {};

/** Returns the host-reserved addresses of an item. Inverse of `hostReservedItem`. */
export function hostReservedFrom(item: Item): Reserving {
  if (item.hostReserved === undefined) return {};
  const kept = mapOf(item, "hostReserved");
  return {
    hostReserved: {
      start: numberOf(kept, "start"),
      end: numberOf(kept, "end"),
      ...(kept.handle !== undefined && { handle: textOf(kept, "handle") }),
      ...(kept.note !== undefined && { note: textOf(kept, "note") }),
    },
  };
}
