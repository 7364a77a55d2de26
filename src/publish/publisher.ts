import { inParallel } from "../allocator/core/parallel.ts";
import type { Store } from "../allocator/core/store.ts";
import { PUBLISHED_AT_ONCE } from "../domain/limits.ts";
import type { ItemChange } from "../store/change-log.ts";
import type { Table } from "../store/table.ts";
import { Awaited } from "./awaited.ts";
import type { DomainEvent } from "./domain-event.ts";
import { eventLog } from "./event-log.ts";
import { historyItems } from "./history.ts";
import { keepEvents } from "./keep-events.ts";
import { keepHistory } from "./keep-history.ts";
import { tell } from "./tell.ts";
import type { Told } from "./told.ts";
import type { TrailLine } from "./trail-line.ts";
import { type Understood, understood } from "./understood.ts";

/** The places to which the publisher writes. Each call resolves when everything is kept, and throws otherwise. */
export interface Destinations {
  /** Puts events on the bus, in order. */
  putEvents(events: readonly DomainEvent[]): Promise<void>;
  /** Adds lines to the audit trail; absent if there is none. */
  putTrail?(lines: readonly TrailLine[]): Promise<void>;
  /** Puts a change that this version cannot read where a person finds it. */
  putDeadLetter(change: ItemChange, error: unknown): Promise<void>;
  readonly history: Table;
  /** The main table, for reads of owners. */
  readonly store: Pick<Store, "allocationsFrom" | "readSpace">;
}

export interface PublisherOptions {
  readonly now: () => number;
  /** For how long the history keeps an entry. */
  readonly historyKeptMs: number;
  /** Writes of the history under way at once. A table that writes in groups takes all of a batch. */
  readonly historyWritesAtOnce?: number;
}

export interface Published {
  readonly events: number;
  readonly lines: number;
  readonly deadLetters: number;
  /** The number of the first change that has to be delivered again; absent if all are published. */
  readonly failed?: string;
}

/**
 * Returns the function that publishes changes of the table: as events, as lines of the audit trail, and in the history.
 * A change may come again, and then all that it makes is the same and replaces itself. Changes of one item must come
 * in their order, and none must come before all earlier ones of its item are published.
 *
 * A change that cannot be read is put aside, and holds up nothing. If a destination fails, the whole call fails, and
 * its changes must come again.
 */
export function publisher(
  { putEvents, putTrail, putDeadLetter, ...sources }: Destinations,
  { now, historyKeptMs, historyWritesAtOnce = PUBLISHED_AT_ONCE }: PublisherOptions,
) {
  const history = historyItems(sources.history);
  const log = eventLog(sources.history);
  const awaited = new Awaited(now);

  return async (changes: readonly ItemChange[]): Promise<Published> => {
    const readable: Understood[] = [];
    const dead: { readonly change: ItemChange; readonly error: unknown }[] = [];
    for (const change of changes)
      try {
        readable.push(understood(change, putTrail !== undefined));
      } catch (error) {
        dead.push({ change, error });
      }

    const told = await tell(readable, { history, store: sources.store });
    // The owner may have been written by a change that another shard has yet to tell.
    const failed = told.find(({ change, lacksOwner }) => lacksOwner && awaited.has(change))?.change;
    const before = new Set(failed ? changes.slice(0, changes.indexOf(failed)) : changes);
    const isPublished = ({ change }: { readonly change: ItemChange }) => before.has(change);

    const letters = dead.filter(isPublished);
    const kept = told.filter(isPublished);
    const events = kept.flatMap((each) => each.events);
    const lines = readable.filter(isPublished).flatMap(({ line }) => line ?? []);
    await inParallel(letters, PUBLISHED_AT_ONCE, ({ change, error }) =>
      putDeadLetter(change, error),
    );
    await keepHistory(history, {
      told: kept,
      copied: readable
        .filter(isPublished)
        .filter(hasUntold(kept))
        .map(({ change }) => change),
      historyKeptMs,
      writesAtOnce: historyWritesAtOnce,
    });
    if (lines.length > 0) await putTrail?.(lines);
    if (events.length > 0) await putEvents(events);
    // Last, because each try adds to the log.
    await keepEvents(log, events, { now, keptMs: historyKeptMs });
    return {
      events: events.length,
      lines: lines.length,
      deadLetters: letters.length,
      ...(failed && { failed: failed.sequence }),
    };
  };
}

/** Returns the test whether a change gave an allocation a part whose slots are not told in the same call. */
function hasUntold(told: readonly Told[]): (change: Understood) => boolean {
  const tokens = new Set(told.map(({ assigned }) => assigned));
  return ({ newTokens }) => newTokens.some((token) => !tokens.has(token));
}
