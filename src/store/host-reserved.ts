import type { HostReserved } from "../domain/host-reserved.ts";
import type { Item } from "./table.ts";

/** What a host keeps for itself, as blocks and the rows of their claims have it. */
interface Reserving {
  readonly hostReserved?: HostReserved;
}

export const hostReservedItem = ({ hostReserved }: Reserving) =>
  hostReserved ? { hostReserved: { ...hostReserved } } : {};

/** Inverse of `hostReservedItem`. */
export const hostReservedFrom = ({ hostReserved }: Item): Reserving =>
  hostReserved ? { hostReserved: hostReserved as unknown as HostReserved } : {};
