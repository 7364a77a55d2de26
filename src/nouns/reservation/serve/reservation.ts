import { chooseManifest, isManifest, parseDocuments } from "../../../api/http/choose-manifest.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { namedList } from "../../../api/http/named-list.ts";
import { parseNamedWrite } from "../../../api/http/parameters.ts";
import { exactCount } from "../../../api/http/usage.ts";
import {
  type DryRun,
  deleted,
  etagOf,
  type Ignoring,
  ignored,
  parseIfMatch,
  written,
} from "../../../api/http/write.ts";
import { RESOURCE } from "../../../api/names.ts";
import type { Written } from "../../../kernel/core/written.ts";
import { formatCidr } from "../../../net/cidr.ts";
import { assignsPrefixes } from "../../pool/pool.ts";
import { reservationOf } from "../contract/answer.ts";
import { parseReservation } from "../contract/request.ts";
import { parseReservedIp, SPIDER_RESERVED_IP } from "../contract/spider-reserved-ip.ts";
import type { ReservationWarning, Reserved } from "../operations/reserve.ts";
import type { Reservation } from "../reservation.ts";

/** Parses a reservation as JSON, or as a manifest of Spiderpool in JSON or YAML. */
export function parseReservationPut(event: Event) {
  const documents = parseDocuments(event);
  const chosen = chooseManifest(event, documents, { kinds: [SPIDER_RESERVED_IP], of: RESOURCE });
  const read = isManifest(chosen.document) ? parseReservedIp : parseReservation;
  const input = read(chosen.document);
  const named = parseNamedWrite(event, input.name);
  return { ...named, spec: input.spec, ...parseIfMatch(event), ignored: chosen.ignored };
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
    unreserved: exactCount(unreserved),
    detail: `Reservation ${name} ${covers}, and ${leaves}.`,
  };
}

export const reservationDeleteAnswer = (
  result: Written<undefined>,
  _requestId: string,
  request: DryRun,
): AnswerOf<"DELETE /v1/reservations/{name}"> => deleted(result, request, {});
