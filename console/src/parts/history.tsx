import { useState } from "preact/hooks";
import type { Event } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { useNavigation } from "../state/navigation.tsx";
import { EventsTable } from "./events-table.tsx";
import { Shown } from "./shown.tsx";

interface Page {
  readonly events: readonly Event[];
  readonly keptDays: number;
  readonly next?: string | undefined;
}

const PAGE_EVENTS = 100;

/**
 * The events of an address or a handle, the newest first, with the older ones on request.
 *
 * @param turn a number that differs after each load of the page, with which the history is read again
 */
export function History(props: { readonly path: string; readonly turn: number }) {
  const { path, turn } = props;
  const api = useApi();
  const { space } = useNavigation().place;
  const [pages, setPages] = useState(1);
  const loaded = useLoad<Page>(
    { key: `${space} ${path} ${pages} ${turn}`, isOnce: true },
    async (signal) => {
      let read: Page | undefined;
      for (let i = 0; i < pages && (!read || read.next !== undefined); i++) {
        const query = { limit: PAGE_EVENTS, cursor: read?.next };
        const page = await api.get<Page>(path, query, signal);
        read = { ...page, events: [...(read?.events ?? []), ...page.events] };
      }
      if (!read) throw new Error("a history has a page at least");
      return read;
    },
  );
  const [last, setLast] = useState<Page | undefined>(undefined);
  if (loaded.value && loaded.value !== last) setLast(loaded.value);
  // The last events stay in sight until the next ones are here.
  const shown = loaded.value || loaded.rejection ? loaded : { ...loaded, value: last };
  return (
    <>
      <h2>History</h2>
      {loaded.rejection?.code === "not_published" ? (
        <p class="none">{loaded.rejection.message}</p>
      ) : (
        <Shown loaded={shown} what="the history">
          {({ events, keptDays, next }) => (
            <>
              <EventsTable
                label="History"
                events={events}
                none={`No events in the last ${keptDays === 1 ? "day" : `${keptDays} days`}. New ones appear a few seconds after they happen.`}
              />
              {next !== undefined && (
                <button type="button" onClick={() => setPages(pages + 1)}>
                  Show older events
                </button>
              )}
            </>
          )}
        </Shown>
      )}
    </>
  );
}
