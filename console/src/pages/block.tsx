import { useCallback, useMemo } from "preact/hooks";
import { segment } from "../api/api.ts";
import { pagesOf } from "../api/pages.ts";
import type { AddressState, BlockRead } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { ADDRESS_STATES, addressLooks, notFreeIn } from "../map/address-looks.ts";
import { type Grid, tileAt } from "../map/grid.ts";
import { GridMap } from "../map/grid-map.tsx";
import { addressText, readCidr } from "../network/cidr.ts";
import { Facts } from "../parts/facts.tsx";
import { Head } from "../parts/head.tsx";
import { Id } from "../parts/id.tsx";
import { Moment } from "../parts/moment.tsx";
import { Shown } from "../parts/shown.tsx";
import { State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { Named, NamedHost } from "../parts/to.tsx";
import { UsageBar } from "../parts/usage-bar.tsx";
import { useNavigation } from "../state/navigation.tsx";

/** A block, and its addresses as a map and as a table. */
export function BlockPage({ name }: { readonly name: string }) {
  const api = useApi();
  const { space } = useNavigation().place;
  const loaded = useLoad<BlockRead>({ key: `${space} ${name}` }, async (signal) => {
    const path = `blocks/${segment(name)}`;
    let block: BlockRead | undefined;
    for await (const page of pagesOf<BlockRead>(api, { path, query: { limit: 1_024 }, signal }))
      block = block ? { ...page, addresses: [...block.addresses, ...page.addresses] } : page;
    if (!block) throw new Error("a list has a page at least");
    return block;
  });
  return (
    <>
      <Head kind="Block" title={name} loaded={loaded} />
      <Shown loaded={loaded} what={`the block ${name}`}>
        {(block) => (
          <>
            <UsageBar usage={block} legend />
            {block.unit !== "prefixes" && <AddressMap block={block} />}
            <div class="beside">
              <div class="details">
                <Facts
                  facts={[
                    [
                      "Host",
                      block.host ? (
                        <NamedHost key="h" name={block.host} type={block.affinityType} />
                      ) : (
                        "none; any host can claim it"
                      ),
                    ],
                    ["Pool", <Named key="p" kind="pool" name={block.pool} />],
                    ["Claimed", <Moment key="c" at={block.claimedAt} />],
                    ["Idle since", block.idleSince && <Moment at={block.idleSince} />],
                    ["Last changed by", block.changedBy?.principal],
                    [
                      "Changed in request",
                      block.changedBy && (
                        <Id key="r" what="id of the request" id={block.changedBy.requestId} />
                      ),
                    ],
                  ]}
                />
              </div>
              <div>
                {block.unit === "prefixes" ? (
                  <Prefix held={block.addresses[0]} />
                ) : (
                  <NotFree block={block} />
                )}
              </div>
            </div>
          </>
        )}
      </Shown>
    </>
  );
}

/** The holder of a prefix: nobody has a part of it. */
function Prefix({ held }: { readonly held: AddressInBlock | undefined }) {
  const until = held && untilOf(held);
  return (
    <>
      <h2>Prefix</h2>
      <Facts
        facts={[
          ["State", <State key="s" state={held?.state ?? "free"} />],
          ["Handle", held?.handle && <Named kind="handle" name={held.handle} />],
          ["Host", held?.host && <Named kind="host" name={held.host} />],
          ["Since", held?.assignedAt && <Moment at={held.assignedAt} />],
          ["Until", until && <Moment at={until} />],
        ]}
      />
    </>
  );
}

function NotFree({ block }: { readonly block: BlockRead }) {
  const addresses = useMemo(() => notFreeIn(block), [block]);
  return (
    <>
      <h2>Addresses that are not free</h2>
      <Table
        label="Addresses that are not free"
        none="All addresses of this block are free."
        rows={addresses}
        keyOf={({ address }) => address}
        columns={[
          {
            title: "Address",
            value: ({ address }) => address,
            show: ({ address }) => <Named kind="address" name={address} />,
          },
          {
            title: "State",
            value: ({ state }) => state,
            show: ({ state }) => <State state={state} />,
          },
          {
            title: "Handle",
            value: ({ handle }) => handle,
            show: ({ handle }) => handle && <Named kind="handle" name={handle} />,
          },
          {
            title: "Host",
            value: ({ host }) => host,
            show: ({ host }) => host && <Named kind="host" name={host} />,
          },
          {
            title: "Since",
            value: ({ assignedAt }) => assignedAt,
            show: ({ assignedAt }) => assignedAt && <Moment at={assignedAt} />,
          },
          {
            title: "Until",
            value: untilOf,
            show: (address) => {
              const until = untilOf(address);
              return until && <Moment at={until} />;
            },
          },
        ]}
      />
    </>
  );
}

type AddressInBlock = BlockRead["addresses"][number];

/** Returns when the state of an address ends, if it ends by itself. */
const untilOf = ({
  expiresAt,
  quarantinedUntil,
  availableAt,
}: AddressInBlock): string | undefined => expiresAt ?? quarantinedUntil ?? availableAt;

function AddressMap({ block }: { readonly block: BlockRead }) {
  const notFree = useMemo(() => notFreeIn(block), [block]);
  const { open } = useNavigation();
  const shown = useMemo(() => readCidr(block.cidr), [block.cidr]);
  const byAddress = useMemo(
    () => new Map(notFree.map((address) => [address.address, address])),
    [notFree],
  );
  const stateAt = useCallback(
    (grid: Grid, index: number) => byAddress.get(addressText(tileAt(grid, index))),
    [byAddress],
  );
  const looksOn = useCallback(
    (grid: Grid) => addressLooks(grid, (index) => stateAt(grid, index)),
    [stateAt],
  );
  const states = useMemo(() => {
    const counts = new Map<AddressState, number>();
    for (const { state } of notFree) counts.set(state, (counts.get(state) ?? 0) + 1);
    return counts;
  }, [notFree]);
  if (!shown) return null;
  return (
    <section aria-labelledby="map-title">
      <h2 id="map-title">Addresses</h2>
      <ul class="legend" aria-label="Legend: the state of an address">
        <li>
          <span class="swatch unclaimed" aria-hidden="true" /> free
        </li>
        {ADDRESS_STATES.filter((state) => states.has(state)).map((state) => (
          <li key={state}>
            <span class={`swatch is-${state}`} aria-hidden="true" /> {state}{" "}
            <b>{states.get(state)}</b>
          </li>
        ))}
      </ul>
      <GridMap
        label={`Addresses of ${block.cidr}`}
        shown={shown}
        itemLength={shown.bits}
        looksOn={looksOn}
        describe={(grid, index) => {
          const address = stateAt(grid, index);
          const text = addressText(tileAt(grid, index));
          if (!address) return `${text} is free.`;
          const { state, handle, host } = address;
          return `${text} is ${state}${handle ? ` to ${handle}` : ""}${host ? ` on ${host}` : ""}.`;
        }}
        open={(tile) => open({ kind: "address", name: addressText(tile) })}
      />
    </section>
  );
}
