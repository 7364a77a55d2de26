import type { HostReserved } from "../domain/host-reserved.ts";
import type { Item } from "./table.ts";

/** What a host keeps for itself, as blocks and the rows of their claims have it. */
interface Reserving {
  readonly hostReserved?: HostReserved;
}

export const hostReservedItem = ({ hostReserved }: Reserving) =>
  hostReserved ? { hostReserved: { ...hostReserved } } : {};

/** Inverse of `hostReservedItem`. */
export function hostReservedFrom({ hostReserved }: Item): Reserving {
  if (!hostReserved) return {};
  const { start, end, handle, note } = hostReserved as unknown as HostReserved;
  return {
    hostReserved: {
      start,
      end,
      ...(handle !== undefined && { handle }),
      ...(note !== undefined && { note }),
    },
  };
}
