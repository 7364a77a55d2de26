import { invalid, Problem } from "../api/schema/problem.ts";
import { CLOCK_SKEW_MS_MAX, LOGGED_MS_MAX } from "../base/limits.ts";
import { formatTime } from "../base/time.ts";
import { daysOf, type ReadableHistory } from "../table/readable-history.ts";
import { eventLog, type LogPosition, logTime, timeIn } from "./event-log.ts";
import type { Entry } from "./history.ts";

/** A poll for events leaves out younger items, because an earlier one may still be under way. */
export const EVENTS_WITHHELD_MS = LOGGED_MS_MAX + CLOCK_SKEW_MS_MAX;

/** The events that a poll asks for. */
export interface EventsWanted {
  readonly space: string;
  readonly limit: number;
  /** The place where the poll before ended; absent in a first poll. */
  readonly position?: LogPosition | undefined;
  /** The time at which a first poll begins, in milliseconds since the epoch; absent for now. */
  readonly since?: number | undefined;
}

/** A page of events, and the place of the next poll. */
export interface EventsPage {
  readonly events: readonly Entry[];
  readonly keptDays: number;
  readonly next: LogPosition;
}

/**
 * Reads the events after a place, in the order of their publication.
 *
 * The page ends `EVENTS_WITHHELD_MS` before now. Whatever is written from now on has a later time: a publisher whose
 * clock is `CLOCK_SKEW_MS_MAX` late and whose write takes `LOGGED_MS_MAX` writes it under a time after the end of the
 * page (`keep-events.ts`). So no event comes behind the place that the page returns, and polls return every event.
 */
export async function readEvents(
  history: ReadableHistory | undefined,
  { space, limit, position, since }: EventsWanted,
  nowMs: number,
): Promise<EventsPage> {
  if (!history?.publishes) throw notPublished();
  const { table, keptMs } = history;
  const keptDays = daysOf(keptMs);
  const before = logTime(nowMs - EVENTS_WITHHELD_MS);
  // Something at the beginning may be deleted already.
  const keptFromMs = nowMs - keptMs + CLOCK_SKEW_MS_MAX;
  const earliest = formatTime(keptFromMs);
  if (since !== undefined && (since < keptFromMs || since > nowMs + CLOCK_SKEW_MS_MAX))
    throw invalid({
      field: "?since",
      value: formatTime(since),
      problem: `must be from ${earliest} to now, because events are kept for ${keptDays === 1 ? "a day" : `${keptDays} days`}`,
    });
  if (position && timeIn(position.after) < keptFromMs)
    throw new Problem(
      "cursor_expired",
      `The cursor is of a time before ${earliest}, and later events may be deleted. Compare what you have with the addresses, and begin again without a cursor.`,
    );
  const first = since === undefined ? before : logTime(Math.max(since - CLOCK_SKEW_MS_MAX, 0));
  const from = position ?? { after: first };
  return { keptDays, ...(await eventLog(table).read({ space, limit, before, ...from })) };
}

/** Returns the problem of a deployment that publishes nothing, or not here. */
function notPublished(): Problem {
  return new Problem(
    "not_published",
    "Nothing is published here: with more than one Region the active one has the events, and npm start has them without --dynamodb.",
  );
}
