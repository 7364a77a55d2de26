import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { PAGE_BYTES_MAX } from "../base/limits.ts";
import { UnavailableError } from "../base/outcome.ts";
import { HISTORY } from "../table/definition.ts";
import { escaped } from "../table/key.ts";
import type { Table } from "../table/table.ts";
import { type DomainEvent, eventText } from "./domain-event.ts";
import type { Entry } from "./history.ts";

/** Bytes of the events in one item of the event log, before they are compressed. An item has 400 KB at most. */
export const LOGGED_BYTES_PER_ITEM_MAX = 200_000;
/** Items of the event log that one read returns. */
const LOGGED_ITEMS_PER_READ = 25;

/** Some events of one space, as one item of the log has them. */
export interface LoggedBatch {
  readonly space: string;
  /** Differs between batches of the same moment. */
  readonly name: string;
  /** The bodies of the events as JSON, compressed. */
  readonly bytes: Uint8Array;
}

/** A place in the log. */
export interface LogPosition {
  /** The sort key after which to go on, whether or not an item has it. */
  readonly after: string;
  /** The item of which only the first events were read; absent if each item was read as a whole. */
  readonly part?: { readonly sk: string; readonly events: number } | undefined;
}

/** The part of the log that a page has. */
export interface LogPageWanted extends LogPosition {
  readonly space: string;
  /** The sort key before which the page ends. */
  readonly before: string;
  readonly limit: number;
}

/**
 * The calls for the event log: a partition of the history for each space, with the events in the order of their
 * publication. `keepEvents` and `readEvents` say why no event comes behind a place that a reader has passed.
 */
export function eventLog(table: Table) {
  return {
    /** Writes a batch under a time. A repeat under the same time replaces it. */
    async put(
      { space, name, bytes }: LoggedBatch,
      { atMs, untilMs }: { readonly atMs: number; readonly untilMs: number },
    ): Promise<void> {
      const key = { pk: logPk(space), sk: `${logTime(atMs)}#${name}` };
      const item = { ...key, events: bytes, [HISTORY.timeToLive]: Math.ceil(untilMs / 1000) };
      const change = { kind: "put", item } as const;
      const { outcome } = await table.write({ step: "history", key, when: [], change });
      // The stream delivers the changes again.
      if (outcome !== "done") throw new UnavailableError("a write of the event log got no answer");
    },

    /** Returns a page of events, and the place behind it. The page is empty if nothing is left before its end. */
    async read({ space, limit, before, part, ...from }: LogPageWanted) {
      const events: Entry[] = [];
      let bytes = 0;
      let { after } = from;
      while (after < before) {
        const options = { after, before, limit: LOGGED_ITEMS_PER_READ };
        const items = await table.query(logPk(space), options);
        for (const item of items) {
          const text = gunzipSync(item.events as Uint8Array);
          const all = JSON.parse(text.toString("utf8")) as readonly Entry[];
          const begin = part?.sk === item.sk ? part.events : 0;
          const end = begin + limit - events.length;
          events.push(...all.slice(begin, end));
          if (end < all.length)
            return { events, next: { after, part: { sk: item.sk, events: end } } };
          after = item.sk;
          bytes += text.length;
          if (events.length === limit || bytes > PAGE_BYTES_MAX) return { events, next: { after } };
        }
        if (items.length < LOGGED_ITEMS_PER_READ) after = before;
      }
      return { events, next: { after, ...(part && part.sk > after && { part }) } };
    },
  };
}

export type EventLog = ReturnType<typeof eventLog>;

/** Returns events in batches of one space each, no larger than an item may be, each in the order of the events. */
export function batchesOf(events: readonly DomainEvent[]): readonly LoggedBatch[] {
  const batches: { readonly space: string; readonly texts: string[]; bytes: number }[] = [];
  const open = new Map<string, (typeof batches)[number]>();
  for (const event of events) {
    const text = eventText(event);
    const bytes = Buffer.byteLength(text);
    const last = open.get(event.space);
    if (last && last.bytes + bytes <= LOGGED_BYTES_PER_ITEM_MAX) {
      last.texts.push(text);
      last.bytes += bytes;
      continue;
    }
    const batch = { space: event.space, texts: [text], bytes };
    batches.push(batch);
    open.set(event.space, batch);
  }
  return batches.map(({ space, texts }) => {
    const text = `[${texts.join()}]`;
    return { space, name: nameOf(text), bytes: gzipSync(text) };
  });
}

const nameOf = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 16);

const TIME_DIGITS = 15;

/** Returns the beginning of the sort keys of a time. As a sort key it comes before all of them. */
export const logTime = (ms: number): string => String(ms).padStart(TIME_DIGITS, "0");

/** Returns the time in a sort key, or in its beginning. */
export const timeIn = (sk: string): number => Number(sk.slice(0, TIME_DIGITS));

const logPk = (space: string): string => `EVENTS#${escaped(space)}`;
