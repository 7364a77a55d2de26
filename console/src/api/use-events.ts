import { useEffect, useRef, useState } from "preact/hooks";
import { seen } from "../state/attention.ts";
import { useLive } from "../state/pause.ts";
import { whenDue } from "./pace.ts";
import { NotSignedIn, type Rejection, rejectionOf } from "./rejection.ts";
import type { Answer, Event } from "./types.ts";
import { useApi } from "./use-api.tsx";

/** The events that are kept. */
interface Kept {
  /** The newest first. */
  readonly events: readonly Event[];
  /** True if there were more, of which the oldest were left out. */
  readonly isCut: boolean;
}

/** The events of a space as they come. */
export interface Coming extends Kept {
  readonly rejection: Rejection | undefined;
  /** The time of the last answer; absent before the first one. */
  readonly at: Date | undefined;
}

const START: Coming = { events: [], isCut: false, rejection: undefined, at: undefined };
/** The age of the first events. */
const BACK_MS = 15 * 60_000;
/** The least pause after an answer. One that is full may be followed by more at once. */
const REST_MS = 2_000;
const PAGE_EVENTS = 1_000;
/** The number of events that a page keeps. */
export const EVENTS_MAX = 1_000;

/** The place in the events up to which they were read. */
type Place = { readonly since: string } | { readonly cursor: string };

const startOfNow = (): Place => ({ since: new Date(Date.now() - BACK_MS).toISOString() });

/**
 * Follows the events of a space, from some minutes ago on: as a stream where the server has one, and else by polls while the page is
 * visible. It keeps the newest ones. A pause stops it after the first answer, and its end continues there.
 *
 * @param turn a number whose change begins anew
 */
export function useEvents(space: string, turn: number): Coming {
  const api = useApi();
  const isLive = useLive();
  const [coming, setComing] = useState<Coming>(START);
  const walk = useRef<{ readonly of: string; place: Place; isRead: boolean } | undefined>(
    undefined,
  );
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const of = `${space} ${turn}`;
    if (walk.current?.of !== of) {
      walk.current = { of, place: startOfNow(), isRead: false };
      setComing(START);
    }
    const read = walk.current;
    let failures = 0;
    const take = ({ events, next }: Answer<"eventsRead">) => {
      if (next !== undefined) read.place = { cursor: next };
      read.isRead = true;
      failures = 0;
      setComing((before) => ({
        ...withNewer(before, events),
        rejection: undefined,
        at: new Date(),
      }));
      return events.length === PAGE_EVENTS;
    };
    const poll = async () => {
      await seen(signal);
      let hasMore = false;
      try {
        const query = { limit: PAGE_EVENTS, ...read.place };
        if (isLive)
          await api.follow<Answer<"eventsRead">>(
            "events",
            query,
            (page) => {
              hasMore = take(page);
            },
            signal,
          );
        else take(await api.get<Answer<"eventsRead">>("events", query, signal));
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof NotSignedIn) {
          await error.signedIn;
          if (!signal.aborted) void poll();
          return;
        }
        const rejection = rejectionOf(error);
        if (rejection.code === "cursor_expired") read.place = startOfNow();
        failures += 1;
        setComing((before) => ({ ...before, rejection }));
      }
      if (signal.aborted || !isLive) return;
      if (hasMore) return void poll();
      const atMs = performance.now();
      // A stream lasts as long as the server lets it, which says nothing of what it costs.
      whenDue({ atMs, tookMs: 0, failures }, REST_MS, poll, signal);
    };
    if (isLive || !read.isRead) void poll();
    return () => ending.abort();
  }, [api, space, turn, isLive]);
  return coming;
}

/**
 * Adds a page of events, the newest first. Each event comes at least once, and is kept once. Of events with equal
 * sequences, the later in a page is the newer.
 */
export function withNewer({ events, isCut }: Kept, page: readonly Event[]): Kept {
  const byId = new Map([...events.toReversed(), ...page].map((event) => [event.id, event]));
  const newest = [...byId.values()]
    .reverse()
    .sort((a, b) => (a.sequence < b.sequence ? 1 : a.sequence > b.sequence ? -1 : 0));
  return { events: newest.slice(0, EVENTS_MAX), isCut: isCut || newest.length > EVENTS_MAX };
}
