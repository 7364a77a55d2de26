import { Acting } from "../acts/acting.tsx";
import { actsOn, reserve } from "../acts/reservations.tsx";
import { listingOf } from "../api/pages.ts";
import type { Answer, Reservation } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { Facts } from "../parts/facts.tsx";
import { Head } from "../parts/head.tsx";
import { Shown } from "../parts/shown.tsx";
import { Table } from "../parts/table.tsx";
import { To } from "../parts/to.tsx";
import { Unreadable } from "../parts/unreadable.tsx";
import { useNavigation } from "../state/navigation.tsx";

/** The ranges that automatic assignment leaves out, or the reservation of the address. */
export function ReservationsPage() {
  const { name = "" } = useNavigation().place.view;
  return name === "" ? <All /> : <One name={name} />;
}

function All() {
  const api = useApi();
  const { space } = useNavigation().place;
  const loaded = useLoad({ key: space }, (signal) =>
    listingOf<Answer<"reservationsRead">, Reservation>(
      api,
      { path: "reservations", query: { limit: 250 }, signal },
      ({ reservations }) => reservations,
    ),
  );
  return (
    <>
      <Head title="Reservations" loaded={loaded} />
      <Shown loaded={loaded} what="the reservations">
        {({ items: reservations, unreadable }) => (
          <>
            <Unreadable items={unreadable} />
            <Acting acts={{ reserve: reserve(api) }} reload={loaded.reload} />
            <Table
              label="Reservations"
              none="No range is reserved."
              rows={reservations}
              keyOf={({ name }) => name}
              columns={[
                {
                  title: "Name",
                  value: ({ name }) => name,
                  show: ({ name }) => (
                    <To page={{ kind: "reservations" }} view={{ name }} class="name">
                      {name}
                    </To>
                  ),
                },
                {
                  title: "Ranges",
                  value: ({ cidrs }) => cidrs.join(", "),
                  show: ({ cidrs }) => <span class="list">{cidrs.join(", ")}</span>,
                },
                { title: "Reason", value: ({ reason }) => reason, show: ({ reason }) => reason },
              ]}
            />
          </>
        )}
      </Shown>
    </>
  );
}

function One({ name }: { readonly name: string }) {
  const api = useApi();
  const { space } = useNavigation().place;
  const loaded = useLoad({ key: `${space} ${name}` }, (signal) =>
    api.read<Reservation>(`reservations/${encodeURIComponent(name)}`, signal),
  );
  return (
    <>
      <Head kind="Reservation" title={name} loaded={loaded} />
      <Shown loaded={loaded} what={`the reservation ${name}`}>
        {(reservation) => (
          <>
            <Acting acts={actsOn(api, reservation)} reload={loaded.reload} />
            <Facts
              facts={[
                ["Ranges", reservation.value.cidrs.join(", ")],
                ["Reason", reservation.value.reason],
              ]}
            />
          </>
        )}
      </Shown>
    </>
  );
}
