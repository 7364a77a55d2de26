import { useAlarms } from "../api/use-alarms.tsx";
import { Head } from "../parts/head.tsx";
import { Moment, Sentence } from "../parts/moment.tsx";
import { Shown } from "../parts/shown.tsx";
import { Table } from "../parts/table.tsx";
import { Named, To } from "../parts/to.tsx";
import { Unreadable } from "../parts/unreadable.tsx";

/** The thresholds that are crossed now. */
export function AlarmsPage() {
  const loaded = useAlarms();
  if (!loaded) return null;
  return (
    <>
      <Head title="Alarms" loaded={loaded} />
      <Shown loaded={loaded} what="the alarms">
        {({ alarms, unreadable }) => (
          <>
            <Unreadable items={unreadable} />
            <Table
              label="Alarms"
              none="No threshold is crossed."
              rows={alarms}
              keyOf={({ id, pool }) => `${id} ${pool}`}
              columns={[
                { title: "Alarm", value: ({ id }) => id, show: ({ id }) => <code>{id}</code> },
                {
                  title: "Pool",
                  value: ({ pool }) => pool,
                  show: ({ pool }) => pool && <Named kind="pool" name={pool} />,
                },
                {
                  title: "Details",
                  value: ({ detail }) => detail,
                  show: ({ detail }) => <Sentence text={detail} />,
                },
                {
                  title: "Since",
                  value: ({ since }) => since,
                  show: ({ since }) => since && <Moment at={since} />,
                },
              ]}
            />
            <p class="hint">
              The runbook has a chapter for each alarm. The <To page={{ kind: "check" }}>check</To>{" "}
              proves the invariants over all items.
            </p>
          </>
        )}
      </Shown>
    </>
  );
}
