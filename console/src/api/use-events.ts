import { useEffect, useState } from "preact/hooks";
import { type Rejection, rejectionOf } from "./rejection.ts";
import type { Answer, Event } from "./types.ts";
import { useApi } from "./use-api.tsx";

/** The events of a space as they come. */
export interface Coming {
  /** The newest first. */
  readonly events: readonly Event[];
  readonly rejection: Rejection | undefined;
  /** The time of the last answer; absent before the first one. */
  readonly at: Date | undefined;
}

const START: Coming = { events: [], rejection: undefined, at: undefined };
/** The age of the first events. */
const BACK_MS = 15 * 60_000;
/** The pause after an answer. One with events may be followed by more of them. */
const POLL_MS = 2_000;
const RETRY_MS = 5_000;
const PAGE_EVENTS = 1_000;
const EVENTS_MAX = 1_000;

/**
 * Follows the events of a space, from some minutes ago on: as a stream where the server has one, and else by polls while the page is
 * visible. It keeps the newest ones.
 *
 * @param turn a number whose change begins anew
 */
export function useEvents(space: string, turn: number): Coming {
  const api = useApi();
  const [coming, setComing] = useState<Coming>(START);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    let timer: number | undefined;
    let cursor: string | undefined;
    const since = new Date(Date.now() - BACK_MS).toISOString();
    setComing(START);
    const poll = async () => {
      let waitMs = POLL_MS;
      if (document.visibilityState === "visible")
        try {
          const query = { limit: PAGE_EVENTS, ...(cursor === undefined ? { since } : { cursor }) };
          await api.follow<Answer<"eventsRead">>(
            "events",
            query,
            ({ events, next }) => {
              cursor = next;
              waitMs = events.length === PAGE_EVENTS ? 0 : POLL_MS;
              setComing((before) => ({
                events: withNewer(before.events, events),
                rejection: undefined,
                at: new Date(),
              }));
            },
            signal,
          );
        } catch (error) {
          if (signal.aborted) return;
          const rejection = rejectionOf(error);
          if (rejection.code === "cursor_expired") cursor = undefined;
          setComing((before) => ({ ...before, rejection }));
          waitMs = RETRY_MS;
        }
      if (!signal.aborted) timer = window.setTimeout(poll, waitMs);
    };
    void poll();
    return () => {
      ending.abort();
      window.clearTimeout(timer);
    };
  }, [api, space, turn]);
  return coming;
}

/** Adds a page of events, the newest first. Each event comes at least once, and is kept once. */
export function withNewer(kept: readonly Event[], page: readonly Event[]): readonly Event[] {
  const byId = new Map([...kept, ...page].map((event) => [event.id, event]));
  return [...byId.values()]
    .sort((a, b) => (a.sequence < b.sequence ? 1 : a.sequence > b.sequence ? -1 : 0))
    .slice(0, EVENTS_MAX);
}
