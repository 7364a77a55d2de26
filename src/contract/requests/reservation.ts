import * as v from "valibot";
import { RESERVED_CIDRS_MAX } from "../../domain/limits.ts";
import { parsePlainInterval } from "../../domain/plain-form.ts";
import { proseText, readable, resourceName } from "../schema/field.ts";
import { fields, list } from "../schema/schema.ts";

const REASON_CHARACTERS_MAX = 1_024;

/** A text, kept as written except for blanks and IPv4-mapped addresses, beside its value. */
const interval = readable(parsePlainInterval, {
  description: "A CIDR, an address, or a range of addresses",
  examples: ["10.0.0.0/28", "10.0.0.7", "10.0.0.1-10.0.0.9"],
});

export const reservationBody = fields({
  cidrs: list(
    interval,
    { min: 1, max: RESERVED_CIDRS_MAX },
    {
      type: "must be an array of CIDRs, addresses and ranges",
      min: "must have an entry",
      max: `must have at most ${RESERVED_CIDRS_MAX} entries`,
    },
  ),
  reason: v.optional(
    v.pipe(
      proseText,
      v.maxLength(REASON_CHARACTERS_MAX, `must have at most ${REASON_CHARACTERS_MAX} characters`),
    ),
  ),
  // A caller can change the answer of a GET and PUT it back.
  name: v.optional(resourceName),
});
