import { type ComponentChildren, render } from "preact";
import { useState } from "preact/hooks";
import { Difference } from "../../../console/src/acts/difference.tsx";
import { FieldInput } from "../../../console/src/acts/field-input.tsx";
import type { Api } from "../../../console/src/api/api.ts";
import { Rejection } from "../../../console/src/api/rejection.ts";
import type { Event, PoolHistory, Usage } from "../../../console/src/api/types.ts";
import { ApiContext } from "../../../console/src/api/use-api.tsx";
import type { Loaded } from "../../../console/src/api/use-load.ts";
import { FillLegend, HostLegend } from "../../../console/src/map/legends.tsx";
import { FILLS } from "../../../console/src/map/tiles.ts";
import { Copy } from "../../../console/src/parts/copy.tsx";
import { EventsTable } from "../../../console/src/parts/events-table.tsx";
import { Facts } from "../../../console/src/parts/facts.tsx";
import { Head } from "../../../console/src/parts/head.tsx";
import { History } from "../../../console/src/parts/history.tsx";
import { Id } from "../../../console/src/parts/id.tsx";
import { AsOf, Live, Pause } from "../../../console/src/parts/live.tsx";
import { Moment, Sentence } from "../../../console/src/parts/moment.tsx";
import { UsagePlot } from "../../../console/src/parts/plot.tsx";
import { Rejected } from "../../../console/src/parts/rejected.tsx";
import { Shown } from "../../../console/src/parts/shown.tsx";
import { Spark } from "../../../console/src/parts/spark.tsx";
import { State } from "../../../console/src/parts/state.tsx";
import { Table } from "../../../console/src/parts/table.tsx";
import { Named, NamedHost, To } from "../../../console/src/parts/to.tsx";
import { Unreadable } from "../../../console/src/parts/unreadable.tsx";
import { number, UsageBar, UsageBarToCome } from "../../../console/src/parts/usage-bar.tsx";
import { NavigationProvider } from "../../../console/src/state/navigation.tsx";
import "../../../console/src/styles.ts";

/** Every part of the console in its states, with the sizes and colours that it is made of, on one page. */

const AT = "2026-11-24T12:00:00.000Z";
const ID = "AYvP6JXCoKF5sSwWuTA5H5AU";
const USAGE = {
  capacity: "256",
  inUse: "120",
  hostReserved: "8",
  cooling: "20",
  reserved: "12",
  available: "96",
} as unknown as Usage;
const PROBLEM = new Rejection(409, "The pool main has no free address.", {
  type: "about:blank",
  title: "The pool is exhausted",
  status: 409,
  code: "pool_exhausted",
  detail: "The pool main has no free address.",
  fields: [{ field: "ipv4", value: 3, problem: "must be at most 2 here" }],
  retryable: true,
  requestId: ID,
} as never);
const EVENTS = [
  {
    ...{ id: ID, sequence: "1", space: "default", at: AT, principal: "ci", requestId: ID },
    ...{ type: "PoolThresholdCrossed", pool: "main", percentUsed: 91, before: 80, after: 90 },
  },
] as unknown as readonly Event[];
const SAMPLES = Array.from({ length: 24 }, (_, hour) => ({
  ...USAGE,
  at: new Date(Date.parse(AT) + 3_600_000 * hour).toISOString(),
  inUse: String(40 + 3 * hour),
  assignable: "236",
  available: String(180 - 3 * hour),
})) as unknown as PoolHistory["samples"];

const loaded = <T,>(state: Partial<Loaded<T>>): Loaded<T> => ({
  value: undefined,
  rejection: undefined,
  isLoading: false,
  at: new Date(AT),
  reload() {},
  ...state,
});
const api = { get: async () => ({ events: EVENTS, keptDays: 90 }) } as unknown as Api;

function Choosing() {
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set(["10.0.0.1"]));
  return (
    <Table
      label="Rows"
      none="There are no rows."
      choice={{ chosen, choose }}
      rows={["10.0.0.1", "10.0.0.2"].map((address, i) => ({ address, count: 1_234 * (i + 1) }))}
      keyOf={({ address }) => address}
      columns={[
        { title: "Address", value: (row) => row.address, show: (row) => row.address },
        {
          title: "Addresses",
          value: (row) => row.count,
          show: (row) => number(row.count),
          isCount: true,
        },
      ]}
    />
  );
}

const field = (kind: "text" | "lines" | "number" | "choice" | "flag", error?: string) => (
  <FieldInput
    field={{
      ...{ name: `${kind}${error ? "-wrong" : ""}`, label: `A field of ${kind}`, kind },
      ...{ hint: "What it is for.", choices: ["one", "two"] },
    }}
    value={kind === "flag" ? "true" : kind === "number" ? "3" : "one"}
    error={error}
    change={() => {}}
  />
);

const swatches = (names: readonly string[]) => (
  <ul class="legend">
    {names.map((name) => (
      <li key={name}>
        <span class="swatch" style={{ background: `var(--${name})` }} aria-hidden="true" /> {name}
      </li>
    ))}
  </ul>
);

const COLOURS = ["ground", "raised", "ink", "soft", "line", "link", "accent", "chosen"];
const STATES = ["bad", "bad-ground", "good", "good-ground", "warn", "warn-ground", "final"];
const TEXTS = ["small", "base", "large", "title"];
const SPACES = [1, 2, 3, 4, 5, 6, 7, 8];

/** The parts by their names. */
const PARTS: Readonly<Record<string, ComponentChildren>> = {
  Colours: swatches([...COLOURS, ...STATES]),
  Texts: TEXTS.map((size) => (
    <p key={size} style={{ fontSize: `var(--text-${size})` }}>
      10.64.3.17 is in use ({size})
    </p>
  )),
  Spaces: SPACES.map((space) => (
    <div
      key={space}
      style={{ width: `var(--space-${space})`, height: "8px", background: "var(--accent)" }}
      title={`space ${space}`}
    />
  )),
  Buttons: (
    <p class="acts">
      <button type="button" class="main">
        The action of a page
      </button>
      <button type="button">Another one</button>
      <button type="button" class="plain">
        A small one
      </button>
      <button type="button" class="final">
        One that cannot be undone
      </button>
      <button type="button" disabled>
        Not now
      </button>
    </p>
  ),
  FieldInput: (
    <form>
      {field("text")}
      {field("text", "must be a name of 1 to 63 characters")}
      {field("lines")}
      {field("number")}
      {field("choice")}
      {field("flag")}
    </form>
  ),
  Difference: <Difference before={{ blockSize: 26 }} after={{ blockSize: 28 }} />,
  Head: <Head kind="Pool" title="main" loaded={loaded({ value: 1 })} />,
  Live: <Live loaded={loaded({ value: 1 })} />,
  AsOf: <AsOf at={new Date(AT)} />,
  Pause: <Pause />,
  Facts: (
    <Facts
      facts={[
        ["Pool", "main"],
        ["Claimed", <Moment key="m" at={AT} />],
      ]}
    />
  ),
  Moment: <Moment at={AT} />,
  Sentence: <Sentence text={`The pool assigns no more addresses until ${AT}.`} />,
  Id: <Id what="generation" id={ID} />,
  Copy: <Copy label="Copy the command" text="plat pool get" />,
  State: ["assigned", "cooling", "quarantined"].map((state) => <State key={state} state={state} />),
  Named: <Named kind="pool" name="main" />,
  NamedHost: <NamedHost name="router" type="virtual" />,
  To: <To page={{ kind: "hosts" }}>Hosts</To>,
  UsageBar: <UsageBar usage={USAGE} legend />,
  UsageBarToCome: <UsageBarToCome legend />,
  FillLegend: <FillLegend parts={[]} chosen={FILLS[2]} choose={() => {}} />,
  HostLegend: (
    <HostLegend
      hosts={["node-1", "node-2"].map((host, i) => ({ host, count: i + 1, hue: 137 * i }))}
      chosen="node-1"
      choose={() => {}}
    />
  ),
  Table: <Choosing />,
  EventsTable: <EventsTable label="Events" events={EVENTS} none="There are no events." />,
  History: <History path="addresses/10.0.0.1/history" turn={0} />,
  Spark: <Spark samples={SAMPLES} />,
  UsagePlot: <UsagePlot samples={SAMPLES} />,
  Rejected: <Rejected rejection={PROBLEM} retry={() => {}} />,
  Shown: (
    <Shown loaded={loaded<string>({ at: undefined })} what="the pool main">
      {() => null}
    </Shown>
  ),
  Unreadable: (
    <Unreadable items={[{ item: "HANDLE#default", reason: "Its format is newer" }] as never} />
  ),
};

const root = document.getElementById("parts");
if (root)
  render(
    <ApiContext.Provider value={api}>
      <NavigationProvider>
        <h1>Parts of the console</h1>
        {Object.entries(PARTS).map(([name, part]) => (
          <section key={name} aria-label={`The part ${name}`}>
            <h2>{name}</h2>
            {part}
          </section>
        ))}
      </NavigationProvider>
    </ApiContext.Provider>,
    root,
  );
