import { useState } from "preact/hooks";
import { AddressTable } from "../acts/address-table.tsx";
import type { Query } from "../api/api.ts";
import { pagesOf } from "../api/pages.ts";
import type { Answer, HeldAddress } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { Head } from "../parts/head.tsx";
import { Shown } from "../parts/shown.tsx";
import { Unreadable } from "../parts/unreadable.tsx";
import { number } from "../parts/usage-bar.tsx";
import { useNavigation } from "../state/navigation.tsx";

type Page = Answer<"addressesRead">;

interface Found {
  readonly addresses: readonly HeldAddress[];
  readonly unreadable: NonNullable<Page["unreadable"]>;
  readonly isWhole: boolean;
}

const ADDRESSES_FIRST = 500;
const PAGE_ADDRESSES = 250;

/** The addresses that meet all conditions of a search, as far as they are asked for. */
export function AddressesMeeting(props: { readonly q: string; readonly conditions: Query }) {
  const { q, conditions } = props;
  const api = useApi();
  const { space } = useNavigation().place;
  const [count, setCount] = useState(ADDRESSES_FIRST);
  const loaded = useLoad<Found>({ key: `${space} ${q} ${count}` }, async (signal, show) => {
    const addresses: HeldAddress[] = [];
    const unreadable: Found["unreadable"] = [];
    const query = { ...conditions, limit: PAGE_ADDRESSES };
    for await (const page of pagesOf<Page>(api, { path: "addresses", query, signal })) {
      addresses.push(...page.addresses);
      unreadable.push(...(page.unreadable ?? []));
      if (addresses.length >= count && page.next !== undefined)
        return { addresses, unreadable, isWhole: false };
      // A page can be empty: what was found so far is shown while others are read.
      if (page.addresses.length > 0)
        show({ addresses: [...addresses], unreadable, isWhole: false });
    }
    return { addresses, unreadable, isWhole: true };
  });
  return (
    <>
      <Head kind="Search" title={q} loaded={loaded} />
      <Shown loaded={loaded} what={`the addresses with ${q}`}>
        {({ addresses, unreadable, isWhole }) => (
          <>
            <Unreadable items={unreadable} />
            <p class="soft">
              {isWhole
                ? `${number(addresses.length)} ${addresses.length === 1 ? "address meets" : "addresses meet"} all conditions.`
                : `The first ${number(addresses.length)} addresses that meet all conditions.`}
            </p>
            <AddressTable
              addresses={addresses}
              none="No address meets all conditions."
              reload={loaded.reload}
            />
            {!isWhole && loaded.at && (
              <button type="button" onClick={() => setCount(count + ADDRESSES_FIRST)}>
                Find more
              </button>
            )}
          </>
        )}
      </Shown>
    </>
  );
}
