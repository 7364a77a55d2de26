import type { Event } from "../api/types.ts";
import { Id } from "./id.tsx";
import { Moment } from "./moment.tsx";
import { Table } from "./table.tsx";
import { textOf } from "./text-of.ts";
import { Named } from "./to.tsx";

/** Events as a table, in the order in which they come. */
export function EventsTable(props: {
  readonly label: string;
  readonly events: readonly Event[];
  readonly none: string;
}) {
  const { label, events, none } = props;
  return (
    <Table
      label={label}
      none={none}
      rows={events}
      keyOf={({ id, sequence }) => `${id} ${sequence}`}
      columns={[
        { title: "At", show: ({ at }) => <Moment at={at} /> },
        { title: "Event", show: ({ type }) => <code>{type}</code> },
        { title: "What", show: (event) => <What event={event} /> },
        { title: "Handle", show: (event) => <Of event={event} kind="handle" /> },
        { title: "Host", show: (event) => <Of event={event} kind="host" /> },
        { title: "Details", show: detailsOf },
        { title: "By", show: ({ principal }) => principal },
        {
          title: "Request",
          show: ({ requestId }) => requestId && <Id what="id of the request" id={requestId} />,
        },
      ]}
    />
  );
}

/** The address, the prefix, the block or the pool of an event. */
function What({ event }: { readonly event: Event }) {
  if ("address" in event)
    return <Named kind={event.address.includes("/") ? "block" : "address"} name={event.address} />;
  if ("block" in event) return <Named kind="block" name={event.block} />;
  return event.pool === undefined ? null : <Named kind="pool" name={event.pool} />;
}

function Of({ event, kind }: { readonly event: Event; readonly kind: "handle" | "host" }) {
  const name = (event as Readonly<Record<string, unknown>>)[kind];
  return typeof name === "string" ? <Named kind={kind} name={name} /> : null;
}

/** Returns why it happened, or what differs: a field that is new, was changed, or is gone. */
export function detailsOf(event: Event): string {
  if ("reason" in event) return event.reason;
  if ("percentUsed" in event) return `${event.percentUsed} % in use`;
  if (!("before" in event && "after" in event)) return "";
  const { before, after } = event as unknown as Readonly<Record<"before" | "after", Fields>>;
  return Object.keys({ ...after, ...before })
    .map((name) => `${name}: ${textOf(before[name]) || "—"} → ${textOf(after[name]) || "—"}`)
    .join(", ");
}

type Fields = Readonly<Record<string, unknown>>;
