import { Acting } from "../acts/acting.tsx";
import { releaseHandle } from "../acts/addresses.tsx";
import { segment } from "../api/api.ts";
import { allOf } from "../api/pages.ts";
import { unlessAbsent } from "../api/rejection.ts";
import type { Answer, HeldAddress } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { Head } from "../parts/head.tsx";
import { History } from "../parts/history.tsx";
import { useLive } from "../parts/live.tsx";
import { Moment } from "../parts/moment.tsx";
import { Shown } from "../parts/shown.tsx";
import { State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { Named } from "../parts/to.tsx";
import { useNavigation } from "../state/navigation.tsx";

/** A handle, its addresses, and those that it had. */
export function HandlePage({ name }: { readonly name: string }) {
  const api = useApi();
  const { space } = useNavigation().place;
  const loaded = useLoad({ key: `${space} ${name}`, live: useLive() }, (signal) =>
    unlessAbsent(
      allOf<Answer<"handleRead">, HeldAddress>(
        api,
        { path: `handles/${segment(name)}`, query: { limit: 1_024 }, signal },
        ({ addresses }) => addresses,
      ),
    ).then((addresses) => addresses ?? []),
  );
  return (
    <>
      <Head kind="Handle" title={name} loaded={loaded} />
      <Shown loaded={loaded} what={`the addresses of ${name}`}>
        {(addresses) => (
          <>
            {addresses.length > 0 && (
              <Acting
                acts={{ release: releaseHandle(api, name, addresses) }}
                reload={loaded.reload}
              />
            )}
            <Table
              label="Addresses"
              none="This handle has no addresses."
              rows={addresses}
              keyOf={({ address, generation }) => `${address} ${generation}`}
              columns={[
                {
                  title: "Address",
                  show: ({ address }) => <Named kind="address" name={address} />,
                },
                { title: "State", show: ({ state }) => <State state={state} /> },
                { title: "Host", show: ({ host }) => host && <Named kind="host" name={host} /> },
                { title: "Block", show: ({ block }) => <Named kind="block" name={block} /> },
                { title: "Pool", show: ({ pool }) => <Named kind="pool" name={pool} /> },
                {
                  title: "Since",
                  show: ({ assignedAt }) => assignedAt && <Moment at={assignedAt} />,
                },
                {
                  title: "Attributes",
                  show: ({ attributes = {} }) => <Pairs pairs={attributes} />,
                },
              ]}
            />
            <History path={`history/handles/${segment(name)}`} turn={loaded.at?.getTime() ?? 0} />
          </>
        )}
      </Shown>
    </>
  );
}

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
