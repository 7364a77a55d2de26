import type { Family } from "./address.ts";
import type { RecordPlace } from "./allocation-place.ts";

/**
 * A seat of a handle: one of the numbered places that a limit leaves it in a family. Whoever assigns under a limit takes a
 * seat for each address before the address, by a put-if-absent, so the limit is number < limit, exactly.
 */
export interface Seat {
  readonly space: string;
  readonly handle: string;
  readonly family: Family;
  readonly number: number;
  /** The request that has it: its record lists this revision as long as it does. */
  readonly record: Pick<RecordPlace, "id" | "keyed">;
  readonly revision: string;
  readonly atMs: number;
}

/** A seat as the record of its request lists it: named before it is taken, with its address once the request is answered. */
export interface SeatOfRecord {
  readonly family: Family;
  readonly number: number;
  readonly revision: string;
  readonly address?: string;
}
