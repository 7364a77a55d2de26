import { useEffect } from "preact/hooks";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { Head } from "../parts/head.tsx";
import { Shown } from "../parts/shown.tsx";
import { To } from "../parts/to.tsx";
import { conditionsIn } from "../search/conditions.ts";
import { find } from "../search/find.ts";
import { useNavigation } from "../state/navigation.tsx";
import { AddressesMeeting } from "./addresses-meeting.tsx";

/** The things with the text of the search as their address, network or name, or the addresses that meet its conditions. */
export function SearchPage() {
  const { q = "" } = useNavigation().place.view;
  const conditions = conditionsIn(q);
  if (!conditions) return <ByName />;
  return "query" in conditions ? (
    <AddressesMeeting q={q} conditions={conditions.query} />
  ) : (
    <>
      <Head kind="Search" title={q} />
      <p class="rejected" role="alert">
        The search has <code>{conditions.repeated}</code> twice. Give each condition once.
      </p>
    </>
  );
}

/** The things with the text as their address, network or name. A single match opens immediately. */
function ByName() {
  const api = useApi();
  const { place, open } = useNavigation();
  const { q = "" } = place.view;
  const loaded = useLoad({ key: `${place.space} ${q}`, isOnce: true }, (signal) =>
    find(api, q, signal),
  );
  const { value } = loaded;
  const only = value?.length === 1 ? value[0] : undefined;
  useEffect(() => {
    if (only && place.view.stay !== "1") {
      // The way back leads to the search, which then stays.
      history.replaceState(
        undefined,
        "",
        `${location.pathname}?${new URLSearchParams({ q, stay: "1" })}`,
      );
      open(only.page, only.view);
    }
  }, [only]);
  return (
    <>
      <Head kind="Search" title={q} />
      <Shown loaded={loaded} what={`what is called ${q}`}>
        {(found) =>
          found.length === 0 ? (
            <p class="none">
              Nothing found with this address, network or name. You can search for an address, a
              CIDR, the beginning of the name of a pool or handle, or the full name of a host.
              Conditions such as <code>pool=pods namespace=shop</code> find addresses. See also{" "}
              <To page={{ kind: "hosts" }}>all hosts</To>.
            </p>
          ) : (
            <ul class="found">
              {found.map(({ page, view, kind, name, detail }) => (
                <li key={`${kind} ${name}`}>
                  <span class="kind">{kind}</span>{" "}
                  <To page={page} view={view} class="name">
                    {name}
                  </To>{" "}
                  <span class="soft">{detail}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  );
}
