import type { ReservationWarning, Reserved } from "../../allocator/admin/reserve.ts";
import type { Written } from "../../allocator/admin/written.ts";
import { reservationBody } from "../../contract/requests/reservation.ts";
import { Problem } from "../../contract/schema/problem.ts";
import { checked } from "../../contract/schema/schema.ts";
import { formatCidr, sizeOf } from "../../domain/cidr.ts";
import type { Reservation } from "../../domain/pool.ts";
import { readJson } from "../http/body.ts";
import type { Answer, Event } from "../http/event.ts";
import { namedList } from "../http/named-list.ts";
import { readNamedWrite } from "../http/parameters.ts";
import { readIfMatch } from "../http/preconditions.ts";
import { countOf } from "../http/usage.ts";
import { type DryRun, etagOf, written } from "../http/write-answer.ts";

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
