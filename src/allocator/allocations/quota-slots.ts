import type { AssignmentRecord } from "../../domain/allocation.ts";
import type { RecordPlace } from "../../domain/allocation-place.ts";
import { handleHash } from "../../domain/hash.ts";
import { SEATS_AT_ONCE } from "../../domain/limits.ts";
import type { Seat, SeatOfRecord } from "../../domain/quota-slot.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";

/** A seat that a request is about to take, and who had it before. */
export interface FreeSeat {
  readonly seat: SeatOfRecord;
  readonly seen: Seat | undefined;
}

/**
 * Takes the seats of a record that lists them already. The lowest first: of two requests that want the same seats one
 * then has them all, and the other none.
 *
 * @returns false when somebody was faster, or an answer stayed out: then the record must not be answered
 */
export async function takeSeats(
  context: Context,
  record: AssignmentRecord,
  free: readonly FreeSeat[],
): Promise<boolean> {
  const take = async ({ seat, seen }: FreeSeat): Promise<boolean> => {
    const put = await context.store.putSeat(rowOf(record, seat), seen);
    if (put.outcome !== "unknown") return put.outcome === "done";
    const rows = await context.store.listSeats(record.place.space, record.handle);
    return rows.some(({ revision }) => revision === seat.revision);
  };
  const [lowest, ...others] = free;
  if (!lowest || !(await take(lowest))) return false;
  return (await inParallel(others, SEATS_AT_ONCE, take)).every(Boolean);
}

/** Gives up seats that a record lists, each exactly as it was taken: one that somebody else has by now stays. */
export async function dropSeats(
  context: Context,
  record: AssignmentRecord,
  seats: readonly SeatOfRecord[],
): Promise<void> {
  await inParallel(seats, SEATS_AT_ONCE, (seat) =>
    context.store.deleteSeat("seat-drop", rowOf(record, seat)),
  );
}

/** The seat in which a record has an address. */
export function seatOf({ seats }: AssignmentRecord, address: string): readonly SeatOfRecord[] {
  return seats.filter((seat) => seat.address === address);
}

/** Where the record of a seat's request lies. */
export const recordPlaceOf = ({ space, handle, record }: Seat): RecordPlace => ({
  space,
  handleHash: handleHash(handle),
  ...record,
});

function rowOf(record: AssignmentRecord, { family, number, revision }: SeatOfRecord): Seat {
  const { place, handle, atMs } = record;
  const { id, keyed } = place;
  return { space: place.space, handle, family, number, record: { id, keyed }, revision, atMs };
}
