import { LOGGED_MS_MAX, PUBLISHED_AT_ONCE } from "../base/limits.ts";
import { UnavailableError } from "../base/outcome.ts";
import { inParallel } from "../kernel/core/parallel.ts";
import type { Store } from "../kernel/core/store.ts";
import type { ItemChange } from "../table/change-log.ts";
import type { Table } from "../table/table.ts";
import type { DomainEvent } from "./domain-event.ts";
import { batchesOf, type EventLog, eventLog, type LoggedBatch } from "./event-log.ts";
import { historyItems } from "./history.ts";
import { keepHistory } from "./keep-history.ts";
import { tell } from "./tell.ts";
import type { ToldChange } from "./told.ts";
import type { TrailLine } from "./trail-line.ts";
import { type Understood, understood } from "./understood.ts";

/** Writes of one item of the event log before the batch must come again. */
export const LOGGED_TRIES_MAX = 3;
/** The time for which a change of an address waits for the change of its owner, which another shard of the stream may tell. */
export const OWNER_AWAITED_MS_MAX = 30_000;

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
    // The owner may have been written by a change that another shard has yet to tell. All of them wait at the same time.
    const waiting = told.filter(({ change, lacksOwner }) => lacksOwner && awaited.has(change));
    const failed = waiting[0]?.change;
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
function hasUntold(told: readonly ToldChange[]): (change: Understood) => boolean {
  const tokens = new Set(told.map(({ assigned }) => assigned));
  return ({ newTokens }) => newTokens.some((token) => !tokens.has(token));
}

/** Changes that wait at once, at most: one for each shard that a process takes. */
const AWAITED_MAX = 1_000;

/**
 * The changes that wait for the owner of their address. A change waits from its first delivery on, however old it is:
 * after a standstill all shards are late.
 */
class Awaited {
  readonly #now: () => number;
  /** The times at which changes were first delivered without an owner, by their numbers. */
  readonly #since = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns true if the change waits on. */
  has({ sequence }: ItemChange): boolean {
    const since = this.#since.get(sequence);
    if (since === undefined) {
      if (this.#since.size >= AWAITED_MAX) this.#since.clear();
      this.#since.set(sequence, this.#now());
      return true;
    }
    if (this.#now() - since < OWNER_AWAITED_MS_MAX) return true;
    this.#since.delete(sequence);
    return false;
  }
}

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
 * @throws {UnavailableError} if an item took too long each time; its changes must come again
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
  throw new UnavailableError(
    `a write of the event log took more than ${LOGGED_MS_MAX} ms, ${LOGGED_TRIES_MAX} times`,
  );
}
