import { useState } from "preact/hooks";
import type { HeldAddress } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { heldText } from "../network/cidr.ts";
import { Moment } from "../parts/moment.tsx";
import { State } from "../parts/state.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Named } from "../parts/to.tsx";
import { Acting } from "./acting.tsx";
import { releaseSome } from "./addresses.tsx";

/** Addresses, and the prefixes of nodes, as a table. */
export function AddressTable(props: {
  readonly addresses: readonly HeldAddress[];
  readonly none: string;
  /** The handle of all of them, which then has no column. */
  readonly handle?: string;
  /** Reads the addresses again, after some were released. */
  reload(): void;
}) {
  const { addresses, none, handle, reload } = props;
  const api = useApi();
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  // A prefix has no generation: its node, or its handle, gives it back.
  const some = addresses.filter((held) => chosen.has(keyOf(held)) && held.generation !== undefined);
  const ofHandle: Column<HeldAddress> = {
    title: "Handle",
    value: (held) => held.handle,
    show: (held) => held.handle && <Named kind="handle" name={held.handle} />,
  };
  return (
    <>
      {/* It stays without a choice too, because its dialog outlasts the rows that it released. */}
      <Acting
        acts={some.length > 0 ? { releaseSome: releaseSome(api, some) } : {}}
        reload={reload}
      />
      <Table
        label="Addresses"
        none={none}
        rows={addresses}
        keyOf={keyOf}
        choice={{ chosen, choose }}
        columns={[
          {
            title: "Address",
            value: heldText,
            show: (held) => (
              <Named kind={held.prefix === undefined ? "address" : "block"} name={heldText(held)} />
            ),
          },
          {
            title: "State",
            value: ({ state }) => state,
            show: ({ state }) => <State state={state} />,
          },
          ...(handle === undefined ? [ofHandle] : []),
          {
            title: "Host",
            value: ({ host }) => host,
            show: ({ host }) => host && <Named kind="host" name={host} />,
          },
          {
            title: "Block",
            value: ({ block }) => block,
            show: ({ block }) => <Named kind="block" name={block} />,
          },
          {
            title: "Pool",
            value: ({ pool }) => pool,
            show: ({ pool }) => <Named kind="pool" name={pool} />,
          },
          {
            title: "Since",
            value: ({ assignedAt }) => assignedAt,
            show: ({ assignedAt }) => assignedAt && <Moment at={assignedAt} />,
          },
          {
            title: "Attributes",
            value: ({ attributes = {} }) => Object.entries(attributes).flat().join(" "),
            show: ({ attributes = {} }) => <Pairs pairs={attributes} />,
          },
        ]}
      />
    </>
  );
}

const keyOf = (held: HeldAddress): string => `${heldText(held)} ${held.generation}`;

function Pairs({ pairs }: { readonly pairs: Readonly<Record<string, string>> }) {
  return (
    <>
      {Object.entries(pairs).map(([key, value]) => (
        <span key={key} class="pair">
          <span class="soft">{key}</span> {value}
        </span>
      ))}
    </>
  );
}
