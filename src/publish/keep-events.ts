import { inParallel } from "../allocator/core/parallel.ts";
import { LOGGED_MS_MAX, LOGGED_TRIES_MAX, PUBLISHED_AT_ONCE } from "../domain/limits.ts";
import type { DomainEvent } from "./domain-event.ts";
import { batchesOf, type EventLog, type LoggedBatch } from "./event-log.ts";

interface Kept {
  readonly now: () => number;
  readonly keptMs: number;
}

/**
 * Writes events into the log, for programs that poll.
 *
 * A poll leaves out what is younger than `EVENTS_WITHHELD_MS`. An item must be there when the first poll comes to its
 * time, or no poll would return it. So the time of an item is read just before its write. If the write took longer
 * than `LOGGED_MS_MAX`, the item is written again under a later time, and polls may return its events twice.
 *
 * @throws if an item took too long each time; its changes must come again
 */
export async function keepEvents(
  log: EventLog,
  events: readonly DomainEvent[],
  kept: Kept,
): Promise<void> {
  await inParallel(batchesOf(events), PUBLISHED_AT_ONCE, (batch) => keepBatch(log, batch, kept));
}

async function keepBatch(log: EventLog, batch: LoggedBatch, { now, keptMs }: Kept): Promise<void> {
  for (let tries = 0; tries < LOGGED_TRIES_MAX; tries++) {
    const atMs = now();
    await log.put(batch, { atMs, untilMs: atMs + keptMs });
    const tookMs = now() - atMs;
    // A clock that was set back says nothing of the duration.
    if (tookMs >= 0 && tookMs <= LOGGED_MS_MAX) return;
  }
  throw new Error(
    `a write of the event log took more than ${LOGGED_MS_MAX} ms, ${LOGGED_TRIES_MAX} times`,
  );
}
