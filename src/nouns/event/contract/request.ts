import * as v from "valibot";
import { pageEntries } from "../../../api/query.ts";
import { text } from "../../../api/schema/field.ts";
import { EVENTS_PER_PAGE_MAX } from "../../../base/limits.ts";

/** Events on a page, unless the request has a limit. An event of an address has about 850 bytes. */
const EVENTS_PER_PAGE_DEFAULT = 100;

/** The parameters of a history. */
export const historyQuery = pageEntries(EVENTS_PER_PAGE_DEFAULT, EVENTS_PER_PAGE_MAX);

const TIME_MESSAGE = "must be a time such as 2026-11-24T12:00:00Z";

/** The parameters of a poll for events. */
export const eventsQuery = {
  ...historyQuery,
  since: v.optional(
    v.pipe(
      text,
      v.isoTimestamp(TIME_MESSAGE),
      v.check((time) => Number.isFinite(Date.parse(time)), TIME_MESSAGE),
      v.transform((time): number => Date.parse(time)),
    ),
  ),
};
