import * as v from "valibot";
import type { Written } from "../allocator/administration.ts";
import type { ReservationWarning, Reserved } from "../allocator/reserve.ts";
import { formatCidr, sizeOf } from "../domain/cidr.ts";
import { RESERVED_CIDRS_MAX } from "../domain/limits.ts";
import { parsePlainInterval } from "../domain/plain-form.ts";
import type { Reservation } from "../domain/pool.ts";
import { readJson } from "./body.ts";
import { proseText, readable, resourceName } from "./field.ts";
import type { Answer, Event } from "./http.ts";
import { namedList } from "./named-list.ts";
import { type DryRun, etagOf, written } from "./operator-answer.ts";
import { readNamedWrite } from "./parameters.ts";
import { readIfMatch } from "./preconditions.ts";
import { Problem } from "./problem.ts";
import { checked, fields, list } from "./schema.ts";
import { countOf } from "./usage-body.ts";

const REASON_CHARACTERS_MAX = 1_024;

/** The text is kept as it was written, but for blanks and IPv4-mapped addresses, beside what it means. */
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
  // What a GET answers can be changed and PUT back.
  name: v.optional(resourceName),
});

export function readReservationPut(event: Event) {
  const json = readJson(event);
  if (json instanceof Problem) return json;
  const input = checked(reservationBody, json.value);
  if (input instanceof Problem) return input;
  const name = input.name === undefined ? undefined : { field: "name", value: input.name };
  const named = readNamedWrite(event, name);
  if (named instanceof Problem) return named;
  const match = readIfMatch(event);
  if (match instanceof Problem) return match;
  const spec = {
    cidrs: input.cidrs.map(({ text }) => text),
    intervals: input.cidrs.map(({ interval }) => interval),
    ...(input.reason !== undefined && { reason: input.reason }),
  };
  return { ...named, spec, ...match };
}

export function reservationAnswer(reservation: Reservation): Answer {
  return { status: 200, headers: etagOf(reservation), body: bodyOf(reservation) };
}

export const reservationList = namedList<Reservation>("reservations", (one) => bodyOf(one));

export function reservationPutAnswer(
  result: Reserved,
  _requestId: string,
  request: DryRun,
): Answer {
  const { value, warnings } = result;
  const told = warnings.map((warning) => warningBody(value.name, warning));
  const body = { ...bodyOf(value), ...(told.length > 0 && { warnings: told }) };
  return written(result, request, body, value.revision);
}

function warningBody(
  name: string,
  { pool, inUse, complete, unreserved }: ReservationWarning,
): object {
  const cidr = formatCidr(pool.cidr);
  const count = `${inUse} assigned ${inUse === 1 ? "address" : "addresses"}`;
  const seen =
    inUse === 0 && !complete
      ? "may cover assigned addresses"
      : `covers ${complete ? "" : "at least "}${count}`;
  const covers = `${seen} of pool ${pool.name} (${cidr})${complete ? "" : ", not all of whose blocks were looked at"}`;
  const leaves = `leaves ${unreserved} of its ${sizeOf(pool.cidr)} addresses for automatic assignment`;
  return {
    pool: pool.name,
    cidr,
    inUse,
    complete,
    unreserved: countOf(unreserved),
    detail: `Reservation ${name} ${covers}, and ${leaves}.`,
  };
}

export const reservationDeleteAnswer = (
  result: Written<undefined>,
  _requestId: string,
  request: DryRun,
): Answer => written(result, request, {});

const bodyOf = ({ name, cidrs, reason }: Reservation) => ({
  name,
  cidrs,
  ...(reason !== undefined && { reason }),
});
