import { Acting } from "../acts/acting.tsx";
import { AddressTable } from "../acts/address-table.tsx";
import { actsOnHandle } from "../acts/addresses.tsx";
import { segment } from "../api/api.ts";
import { allOf } from "../api/pages.ts";
import { unlessAbsent } from "../api/rejection.ts";
import type { Answer, HeldAddress } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { Head } from "../parts/head.tsx";
import { History } from "../parts/history.tsx";
import { Shown } from "../parts/shown.tsx";
import { useNavigation } from "../state/navigation.tsx";

/** A handle, its addresses, and those that it had. */
export function HandlePage({ name }: { readonly name: string }) {
  const api = useApi();
  const { space } = useNavigation().place;
  const loaded = useLoad({ key: `${space} ${name}` }, (signal) =>
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
            {/* It stays without addresses too, because its dialog outlasts those that it released. */}
            <Acting acts={actsOnHandle(api, name, addresses)} reload={loaded.reload} />
            <AddressTable
              addresses={addresses}
              handle={name}
              reload={loaded.reload}
              none="This handle has no addresses."
            />
            <History path={`history/handles/${segment(name)}`} turn={loaded.at?.getTime() ?? 0} />
          </>
        )}
      </Shown>
    </>
  );
}
