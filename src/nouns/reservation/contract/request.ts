import * as v from "valibot";
import type { NameInBody } from "../../../api/names.ts";
import { type Inputs, kept, type RequestFields, readsOf, specOf } from "../../../api/noun.ts";
import { proseText, readable, resourceName } from "../../../api/schema/field.ts";
import { checked, fields, list } from "../../../api/schema/schema.ts";
import { RESERVED_CIDRS_MAX } from "../../../base/limits.ts";
import { parsePlainInterval } from "../../../net/plain-form.ts";
import type { ReservationSpec } from "../reservation.ts";

const REASON_CHARACTERS_MAX = 1_024;

/** A text, kept as written except for blanks and IPv4-mapped addresses, beside its value. */
const interval = readable(parsePlainInterval, {
  description: "A CIDR, an address, or a range of addresses",
  examples: ["10.0.0.0/28", "10.0.0.7", "10.0.0.1-10.0.0.9"],
});

/** The ranges of a reservation. */
export const reservedIntervals = list(
  interval,
  { min: 1, max: RESERVED_CIDRS_MAX },
  {
    type: "must be an array of CIDRs, addresses and ranges",
    min: "must have an entry",
    max: `must have at most ${RESERVED_CIDRS_MAX} entries`,
  },
);

type Said = Omit<ReservationSpec, "intervals">;

interface ReservationInput {
  readonly cidrs: v.InferOutput<typeof reservedIntervals>;
}

/** The fields of a reservation that its operator sets. */
export const RESERVATION = {
  cidrs: {
    ...kept(reservedIntervals, (_, { cidrs }: ReservationInput) => cidrs.map(({ text }) => text)),
    words: "CIDRs, addresses, and ranges of addresses such as 10.0.0.1-10.0.0.9.",
    flag: {
      name: "cidr",
      value: "<cidrs>",
      help: "CIDRs, addresses and a-b ranges; with commas or repeatable",
      as: "texts",
      required: true,
    },
  },
  reason: {
    read: v.optional(
      v.pipe(
        proseText,
        v.maxLength(REASON_CHARACTERS_MAX, `must have at most ${REASON_CHARACTERS_MAX} characters`),
      ),
    ),
    words: "Why the addresses are reserved.",
    flag: { value: "<text>", help: "Why the addresses are reserved" },
  },
} satisfies RequestFields<Said, ReservationInput>;

export const reservationBody = fields({
  ...readsOf(RESERVATION),
  // A caller can change the answer of a GET and PUT it back.
  name: v.optional(resourceName),
});

/** The content of the body of a PUT, in either of its forms. */
export interface ReservationDocument {
  readonly name?: NameInBody | undefined;
  readonly spec: ReservationSpec;
}

/** Returns the reservation that a body or a manifest says. */
export const reservationSpec = (
  input: Inputs<typeof RESERVATION> & ReservationInput,
): ReservationDocument["spec"] => ({
  ...specOf<Said, ReservationInput>(RESERVATION, input),
  intervals: input.cidrs.map(({ interval }) => interval),
});

export function parseReservation(value: unknown): ReservationDocument {
  const input = checked(reservationBody, value);
  const { name } = input;
  return {
    ...(name !== undefined && { name: { field: "name", value: name } }),
    spec: reservationSpec(input),
  };
}
