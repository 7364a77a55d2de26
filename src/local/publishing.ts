import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { type Destinations, type Published, publisher } from "../publish/publisher.ts";
import { eachCall } from "../store/stack.ts";
import type { ChangeFeed, ItemChange } from "../table/change-log.ts";
import { HISTORY } from "../table/definition.ts";
import { kindOf } from "../table/kinds.ts";
import type { Table } from "../table/table.ts";
import { every } from "./timers.ts";
import { TrailFiles } from "./trail-files.ts";

export interface PublishingOptions {
  readonly feed: ChangeFeed;
  readonly history: Table;
  /** The main table, for reads of owners. */
  readonly store: Destinations["store"];
  /** The directory of the trail; without it, no line is kept. */
  readonly trail?: string | undefined;
  readonly now: () => number;
  /** The number of changes that are published at once. */
  readonly batchChanges: number;
}

/** Publishing of a local table, beside its requests. */
export interface Publisher {
  /** The history for readers. A read of it asks for the newest. */
  readonly history: Table;
  /** Resolves with the reason if nothing can be published any more. */
  readonly lost: Promise<string>;
  /** Finishes the batch in progress. What is not published yet stays where the table keeps it. */
  stop(): Promise<void>;
}

/** Changes that are published at once in the process that serves requests, which wait for a batch. */
const BATCH_CHANGES_HERE = 20;
const DAY_MS = 86_400_000;
/** As in prod. */
export const HISTORY_KEPT_MS = 90 * DAY_MS;

/** As long as Lambda waits for changes of the stream. */
const TURN_SECONDS = 1;
/** Turns between two runs while nobody reads what is published: larger batches cost less. */
const TURNS_UNREAD = 5;
/** Somebody who polled within this time polls on. */
const READING_MS = 30_000;
const EXPIRY_SECONDS = 3_600;

/**
 * Publishes the changes of a local table: into its history, and into the files of the trail. A laptop has no bus, so
 * events are not sent anywhere.
 */
export class Publishing {
  readonly #feed: ChangeFeed;
  readonly #batchChanges: number;
  readonly #publish: (changes: readonly ItemChange[]) => Promise<Published>;

  constructor({ feed, history, store, trail, now, batchChanges }: PublishingOptions) {
    const files = trail === undefined ? undefined : new TrailFiles(trail);
    this.#feed = feed;
    this.#batchChanges = batchChanges;
    this.#publish = publisher(
      {
        putEvents: async () => {},
        ...(files && { putTrail: (lines) => files.add(lines) }),
        putDeadLetter: async ({ key }, error) =>
          console.error(
            `A change of ${kindOf(key)?.called(key) ?? `${key.pk} ${key.sk}`} cannot be published: ${error}`,
          ),
        history,
        store,
      },
      {
        now,
        historyKeptMs: HISTORY_KEPT_MS,
        historyWritesAtOnce: Number.POSITIVE_INFINITY,
      },
    );
  }

  /**
   * Publishes what waits. What cannot be published yet waits for the next run.
   *
   * @param isOver ends the run after a batch
   */
  async run(isOver: () => boolean = () => false): Promise<void> {
    while (!isOver()) {
      const changes = this.#feed.first(this.#batchChanges);
      if (changes.length === 0) return;
      const { failed } = await this.#publish(changes);
      const done = changes.filter(({ sequence }) => failed === undefined || sequence < failed);
      const last = done.at(-1);
      if (last) await this.#feed.forget(last.sequence);
      if (failed !== undefined) return;
      await eventLoopTurn();
    }
  }
}

/** Decides which turns publish: each one while somebody reads what is published, else every fifth one. */
export class Pace {
  readonly #nowMs: () => number;
  #turn = 0;
  #readUntilMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs the time on a clock that never steps back */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Notes that somebody reads, and so may read again. */
  read(): void {
    this.#readUntilMs = this.#nowMs() + READING_MS;
  }

  /** Returns true if the next turn publishes. */
  takeTurn(): boolean {
    return this.#turn++ % TURNS_UNREAD === 0 || this.#nowMs() < this.#readUntilMs;
  }
}

/** Publishes at a pace, and deletes what has expired in the history. */
export function publishAtPace(options: PublishingOptions) {
  const now = neverBack(options.now);
  const publishing = new Publishing({ ...options, now });
  const pace = new Pace(() => performance.now());
  let stopping = false;
  const timers = [
    every(TURN_SECONDS, async () => {
      // Readers come as far as this time, also if nothing is published.
      now();
      if (pace.takeTurn()) await publishing.run(() => stopping);
    }),
    every(EXPIRY_SECONDS, () => deleteExpired(options.history, options.now())),
  ];
  return {
    read: () => pace.read(),
    async stop(): Promise<void> {
      stopping = true;
      await Promise.all(timers.map((timer) => timer.stop()));
    },
  };
}

/**
 * Returns a clock that counts its reads while another one is set back. Readers have passed the times before, and would
 * miss an event of them. A new process does not know what they have passed.
 */
export function neverBack(now: () => number): () => number {
  let latestMs = Number.NEGATIVE_INFINITY;
  return () => {
    const atMs = now();
    latestMs = atMs < latestMs ? latestMs + 1 : atMs;
    return latestMs;
  };
}

/** Publishes in this process. */
export function publishHere(options: Omit<PublishingOptions, "batchChanges">): Publisher {
  const { read, stop } = publishAtPace({ ...options, batchChanges: BATCH_CHANGES_HERE });
  return { history: readBy(read, options.history), lost: new Promise<never>(() => {}), stop };
}

/** Returns a table that reports each call. */
export const readBy = (report: () => void, table: Table): Table =>
  eachCall(table, (call) => {
    report();
    return call();
  });

/** Items of one page of the walk over a history. */
const PAGE_ITEMS = 500;

/** Deletes the expired items of a history, as DynamoDB does by itself. */
export async function deleteExpired(history: Table, nowMs: number): Promise<void> {
  let page = await history.scan(PAGE_ITEMS);
  for (;;) {
    for (const { pk, sk, [HISTORY.timeToLive]: expires } of page.items)
      if (typeof expires === "number" && expires * 1_000 < nowMs)
        await history.write({
          step: "history",
          key: { pk, sk },
          when: [],
          change: { kind: "delete" },
        });
    if (!page.next) return;
    page = await history.scan(PAGE_ITEMS, { after: page.next });
  }
}
