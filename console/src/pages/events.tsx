import { useState } from "preact/hooks";
import { EVENTS_MAX, useEvents } from "../api/use-events.ts";
import { EventsTable } from "../parts/events-table.tsx";
import { Head } from "../parts/head.tsx";
import { AsOf, Pause } from "../parts/live.tsx";
import { Rejected } from "../parts/rejected.tsx";
import { number } from "../parts/usage-bar.tsx";
import { useNavigation } from "../state/navigation.tsx";

/** The events of the space as they come, from some minutes ago on. */
export function EventsPage() {
  const { place, see } = useNavigation();
  const [turn, setTurn] = useState(0);
  const { events, isCut, rejection, at } = useEvents(place.space, turn);
  const { type = "" } = place.view;
  const types = new Set<string>(events.map((event) => event.type));
  if (type !== "") types.add(type);
  const shown = type === "" ? events : events.filter((event) => event.type === type);
  return (
    <>
      <Head title="Events">
        <div class="live">
          <AsOf at={at} />
          <label>
            Type{" "}
            <select value={type} onChange={(event) => see({ type: event.currentTarget.value })}>
              <option value="">all</option>
              {[...types].sort().map((known) => (
                <option key={known} value={known}>
                  {known}
                </option>
              ))}
            </select>
          </label>
          <Pause />
          <button type="button" onClick={() => setTurn(turn + 1)}>
            Reload
          </button>
        </div>
      </Head>
      {rejection && <Rejected rejection={rejection} retry={() => setTurn(turn + 1)} />}
      <p class="hint">
        New events appear here about five seconds after they happen.
        {isCut && ` Only the newest ${number(EVENTS_MAX)} are here; older ones are left out.`}
      </p>
      {at && (
        <EventsTable
          label="Events"
          events={shown}
          none={`No ${type === "" ? "events" : `${type} events`} ${isCut ? `among the newest ${number(EVENTS_MAX)}` : "in the last 15 minutes"}. New ones appear here.`}
        />
      )}
    </>
  );
}
