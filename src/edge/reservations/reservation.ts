import type { ReservationWarning, Reserved } from "../../allocator/admin/reserve.ts";
import type { Written } from "../../allocator/admin/written.ts";
import { reservationOf } from "../../contract/answers/reservation.ts";
import { RESOURCE } from "../../contract/requests/names.ts";
import { readReservation } from "../../contract/requests/reservation.ts";
import { readReservedIp, SPIDER_RESERVED_IP } from "../../contract/requests/spider-reserved-ip.ts";
import { formatCidr } from "../../domain/cidr.ts";
import { assignsPrefixes, type Reservation } from "../../domain/pool.ts";
import { chooseManifest, isManifest, readDocuments } from "../http/choose-manifest.ts";
import type { AnswerOf, Event } from "../http/event.ts";
import { namedList } from "../http/named-list.ts";
import { readNamedWrite } from "../http/parameters.ts";
import { countOf } from "../http/usage.ts";
import {
  type DryRun,
  deleted,
  etagOf,
  type Ignoring,
  ignored,
  readIfMatch,
  written,
} from "../http/write.ts";

/** Reads a reservation as JSON, or as a manifest of Spiderpool in JSON or YAML. */
export function readReservationPut(event: Event) {
  const documents = readDocuments(event);
  const chosen = chooseManifest(event, documents, { kinds: [SPIDER_RESERVED_IP], of: RESOURCE });
  const read = isManifest(chosen.document) ? readReservedIp : readReservation;
  const input = read(chosen.document);
  const named = readNamedWrite(event, input.name);
  return { ...named, spec: input.spec, ...readIfMatch(event), ignored: chosen.ignored };
}

export function reservationAnswer(
  reservation: Reservation,
): AnswerOf<"GET /v1/reservations/{name}"> {
  return { status: 200, headers: etagOf(reservation), body: reservationOf(reservation) };
}

export const reservationList = namedList("reservations", (one: Reservation) => reservationOf(one));

export function reservationPutAnswer(
  result: Reserved,
  _requestId: string,
  request: DryRun & Ignoring,
): AnswerOf<"PUT /v1/reservations/{name}"> {
  const { value, warnings } = result;
  const told = warnings.map((warning) => warningBody(value.name, warning));
  const body = {
    ...reservationOf(value),
    ...(told.length > 0 && { warnings: told }),
    ...ignored(request),
  };
  return written(result, request, body, value.revision);
}

function warningBody(
  name: string,
  { pool, inUse, held, complete, size, unreserved }: ReservationWarning,
) {
  const cidr = formatCidr(pool.cidr);
  const unit = assignsPrefixes(pool) ? "prefix" : "address";
  const assigned = `${inUse} assigned ${unit}${inUse === 1 ? "" : "es"}`;
  const count = held > 0 ? `${assigned} and ${held} held one${held === 1 ? "" : "s"}` : assigned;
  const seen =
    inUse + held === 0 && !complete
      ? `may cover assigned ${unit}es`
      : `covers ${complete ? "" : "at least "}${count}`;
  const covers = `${seen} of pool ${pool.name} (${cidr})${complete ? "" : ", not all of whose blocks were looked at"}`;
  const leaves = `leaves ${unreserved} of its ${size} ${unit}es for automatic assignment`;
  return {
    pool: pool.name,
    cidr,
    inUse,
    held,
    complete,
    unreserved: countOf(unreserved),
    detail: `Reservation ${name} ${covers}, and ${leaves}.`,
  };
}

export const reservationDeleteAnswer = (
  result: Written<undefined>,
  _requestId: string,
  request: DryRun,
): AnswerOf<"DELETE /v1/reservations/{name}"> => deleted(result, request, {});
