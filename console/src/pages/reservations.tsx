import { allOf } from "../api/pages.ts";
import type { Answer, Reservation } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { Head } from "../parts/head.tsx";
import { useLive } from "../parts/live.tsx";
import { Shown } from "../parts/shown.tsx";
import { Table } from "../parts/table.tsx";
import { useNavigation } from "../state/navigation.tsx";

/** The ranges that automatic assignment leaves out. */
export function ReservationsPage() {
  const api = useApi();
  const { space } = useNavigation().place;
  const loaded = useLoad({ key: space, live: useLive() }, (signal) =>
    allOf<Answer<"reservationsRead">, Reservation>(
      api,
      { path: "reservations", query: { limit: 250 }, signal },
      ({ reservations }) => reservations,
    ),
  );
  return (
    <>
      <Head title="Reservations" loaded={loaded} />
      <Shown loaded={loaded} what="the reservations">
        {(reservations) => (
          <Table
            label="Reservations"
            none="No range is reserved."
            rows={reservations}
            keyOf={({ name }) => name}
            columns={[
              { title: "Name", show: ({ name }) => name },
              {
                title: "Ranges",
                show: ({ cidrs }) => <span class="list">{cidrs.join(", ")}</span>,
              },
              { title: "Reason", show: ({ reason }) => reason },
            ]}
          />
        )}
      </Shown>
    </>
  );
}
