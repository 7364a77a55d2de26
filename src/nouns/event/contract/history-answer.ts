import * as v from "valibot";
import { next, requestId, whole } from "../../../api/answer-parts.ts";
import { event } from "./answer.ts";

const keptDays = v.pipe(whole, v.description("The days for which Plat keeps an event"));

const newestFirst = v.pipe(
  v.array(event),
  v.description("The events, the newest first. The last seconds may be missing"),
);

export const addressHistoryRead = v.strictObject({
  requestId,
  address: v.string(),
  prefix: v.optional(
    v.pipe(
      v.string(),
      v.description(
        "The smallest prefix that the address lies in. Its events are listed too, and those of the prefixes around it",
      ),
    ),
  ),
  keptDays,
  events: newestFirst,
  next,
});

export const handleHistoryRead = v.strictObject({
  requestId,
  handle: v.string(),
  keptDays,
  events: newestFirst,
  next,
});

export const eventsRead = v.strictObject({
  requestId,
  keptDays,
  events: v.pipe(
    v.array(event),
    v.description("The events in the order of their publication. An event can come again"),
  ),
  next: v.pipe(
    v.string(),
    v.description("Send it as `?cursor=` to get later events, also if there was none"),
  ),
});
