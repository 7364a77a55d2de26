import { assertTexts } from "../../base/assertions.ts";
import type { Interval } from "../../net/cidr.ts";

export interface Reservation {
  readonly space: string;
  readonly name: string;
  /** As written: CIDRs, addresses, `a-b` ranges. */
  readonly cidrs: readonly string[];
  readonly intervals: readonly Interval[];
  readonly reason?: string;
  readonly revision: string;
}

/** The fields of a reservation that its operator sets, and its intervals, which follow from them. */
export type ReservationSpec = Omit<Reservation, "space" | "name" | "revision">;

/** Checks that a reservation has the revision that every change of it is conditional on. @throws {Error} */
export function assertReservation({ space, name, revision }: Reservation): void {
  assertTexts({ space, name, revision });
}
