import * as v from "valibot";
import { pageEntries } from "../../../api/query.ts";
import { text } from "../../../api/schema/field.ts";
import { EVENTS_PER_PAGE_DEFAULT, EVENTS_PER_PAGE_MAX } from "../../../base/limits.ts";

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
