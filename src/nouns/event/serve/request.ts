import * as v from "valibot";
import { openCursor } from "../../../api/http/cursor.ts";
import type { Event } from "../../../api/http/event.ts";
import { inPath, parseHandleWith, parseQuery } from "../../../api/http/parameters.ts";
import { address } from "../../../api/schema/field.ts";
import { invalid } from "../../../api/schema/problem.ts";
import { type Address, formatAddress } from "../../../net/address.ts";
import { eventsQuery, historyQuery } from "../contract/request.ts";

/** The key of an entry: the time and the number of its change, counted down, then its address and its type. */
const entryPosition = v.object({
  after: v.pipe(v.string(), v.regex(/^\d{15}#\d{40}#[\da-f.:/]{1,43}#[A-Za-z]{1,32}$/)),
});

/** The key of an item of the event log, or its beginning. */
const logKey = v.pipe(v.string(), v.regex(/^\d{15}(#[\w-]{1,32})?$/));
const logPosition = v.object({
  after: logKey,
  part: v.optional(
    v.object({ sk: logKey, events: v.pipe(v.number(), v.integer(), v.minValue(0)) }),
  ),
});

/** Parses the address of a request, and the page of its history. */
export function parseAddressHistoryPage(event: Event) {
  const query = parseQuery(event, historyQuery);
  const ip = inPath("ip", address, event.pathParameters?.ip);
  const { cursor, ...page } = query;
  const wanted = { ...page, address: ip };
  const opened = openCursor(cursor, addressHistoryOf(wanted), entryPosition);
  return { ...wanted, after: opened.position?.after };
}

/** Parses the handle of a request, and the page of its history. */
export function parseHandleHistoryPage(event: Event) {
  const read = parseHandleWith(event, historyQuery);
  const { cursor, ...wanted } = read;
  const opened = openCursor(cursor, handleHistoryOf(wanted), entryPosition);
  return { ...wanted, after: opened.position?.after };
}

/** Parses the place from which a poll asks for events. */
export function parsePoll(event: Event) {
  const query = parseQuery(event, eventsQuery);
  const { cursor, ...wanted } = query;
  if (cursor !== undefined && wanted.since !== undefined)
    throw invalid({
      field: "?since",
      value: event.queryStringParameters?.since,
      problem: "must be absent with a cursor, which goes on",
    });
  return { ...wanted, ...openCursor(cursor, eventsOf(wanted), logPosition) };
}

/** Identifies the history of a cursor. */
export const addressHistoryOf = ({
  space,
  address,
}: {
  readonly space: string;
  readonly address: Address;
}) => ["address history", space, formatAddress(address)];

/** Identifies the history of a cursor. */
export const handleHistoryOf = ({
  space,
  handle,
}: {
  readonly space: string;
  readonly handle: string;
}) => ["handle history", space, handle];

/** Identifies the events of a cursor. */
export const eventsOf = ({ space }: { readonly space: string }) => ["events", space];
