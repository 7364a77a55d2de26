import { Acting } from "../acts/acting.tsx";
import { type HostNamed, releaseHost } from "../acts/addresses.tsx";
import type { Api } from "../api/api.ts";
import { listingOf } from "../api/pages.ts";
import { unlessAbsent } from "../api/rejection.ts";
import type { Affinity, Answer, Block, HostType, UnreadableItem } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { countOf, NONE, shareUsed, sum } from "../map/tiles.ts";
import { Facts } from "../parts/facts.tsx";
import { Head } from "../parts/head.tsx";
import { Moment } from "../parts/moment.tsx";
import { Shown } from "../parts/shown.tsx";
import { State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { Named } from "../parts/to.tsx";
import { Unreadable } from "../parts/unreadable.tsx";
import { UsageBar } from "../parts/usage-bar.tsx";
import { useNavigation } from "../state/navigation.tsx";

type Node = Answer<"nodeRead">;

interface Host {
  readonly affinities: readonly Affinity[];
  readonly blocks: readonly Block[];
  readonly unreadable: readonly UnreadableItem[];
  /** The registered labels and the status; absent if the host is not registered. */
  readonly node: Node | undefined;
  readonly type: HostType;
}

/**
 * A host: its blocks and borrowed blocks, its labels, and what the cluster last said of it. The address of the page tells a virtual
 * host from the machine of the same name.
 */
export function HostPage({ name }: { readonly name: string }) {
  const api = useApi();
  const { space, view } = useNavigation().place;
  const type = view.type === "virtual" ? "virtual" : "host";
  const loaded = useLoad({ key: `${space} ${type} ${name}` }, (signal) =>
    readHost(api, { name, type }, signal),
  );
  return (
    <>
      <Head kind={type === "virtual" ? "Virtual host" : "Host"} title={name} loaded={loaded} />
      <Shown loaded={loaded} what={`the host ${name}`}>
        {(host) => (
          <>
            {/* It stays without blocks too, because its dialog outlasts those that it freed. */}
            <Acting
              acts={host.blocks.length > 0 ? { release: releaseHost(api, { name, type }) } : {}}
              reload={loaded.reload}
            />
            <Unreadable items={host.unreadable} />
            <HostShown host={host} />
          </>
        )}
      </Shown>
    </>
  );
}

function HostShown({ host: { affinities, blocks, node, type } }: { readonly host: Host }) {
  const byCidr = new Map(blocks.map((block) => [block.cidr, block]));
  const own = affinities.filter(({ borrowed }) => !borrowed);
  const usage = own
    .flatMap(({ cidr }) => byCidr.get(cidr) ?? [])
    .map(countOf)
    .reduce(sum, NONE);
  const labels = Object.entries(node?.labels ?? {});
  return (
    <>
      {own.length > 0 && <UsageBar usage={usage} legend />}
      <h2>Blocks</h2>
      <Table
        label="Blocks"
        none="This host has no blocks."
        rows={affinities}
        keyOf={({ cidr, borrowed }) => `${cidr} ${borrowed}`}
        columns={[
          {
            title: "Block",
            value: ({ cidr }) => cidr,
            show: ({ cidr }) => <Named kind="block" name={cidr} />,
          },
          {
            title: "Pool",
            value: ({ pool }) => pool,
            show: ({ pool }) => pool && <Named kind="pool" name={pool} />,
          },
          {
            title: "Affinity",
            value: ({ borrowed, state }) => (borrowed ? "borrowed" : state),
            show: ({ borrowed, state }) => <State state={borrowed ? "borrowed" : state} />,
          },
          {
            title: "Use",
            value: ({ cidr }) => {
              const block = byCidr.get(cidr);
              return block && shareUsed(countOf(block));
            },
            show: ({ cidr }) => {
              const block = byCidr.get(cidr);
              return block && <UsageBar usage={block} />;
            },
          },
          {
            title: "In use",
            value: ({ used }) => Number(used),
            show: ({ used }) => used,
            isCount: true,
          },
          {
            title: "Claimed",
            value: ({ claimedAt }) => claimedAt,
            show: ({ claimedAt }) => claimedAt && <Moment at={claimedAt} />,
          },
        ]}
      />
      {labels.length > 0 && (
        <>
          <h2>Labels</h2>
          <Facts facts={labels} />
        </>
      )}
      {node?.status && <Status status={node.status} />}
      {type === "host" && !node && (
        <p class="soft">This host is not registered, so it has no labels.</p>
      )}
    </>
  );
}

function Status({ status }: { readonly status: NonNullable<Node["status"]> }) {
  return (
    <>
      <h2>Node</h2>
      <Facts
        facts={[
          ["Zone", status.zone],
          ["Prefixes", status.podCIDRs.join(", ")],
          [
            "Conditions",
            Object.entries(status.conditions)
              .map(([name, value]) => `${name} ${value}`)
              .join(", "),
          ],
          ["Why not ready", status.reason],
          ["Last seen", <Moment key="s" at={status.lastSeenAt} />],
          ["Taints", status.taints.map(({ key, effect }) => `${key}:${effect}`).join(", ")],
          ["uid", status.uid],
        ]}
      />
    </>
  );
}

async function readHost(api: Api, { name, type }: HostNamed, signal: AbortSignal): Promise<Host> {
  const path = `nodes/${encodeURIComponent(name)}`;
  const query = { affinityType: type, limit: 1_000 };
  const [affinities, blocks, node] = await Promise.all([
    listingOf<Answer<"affinitiesRead">, Affinity>(
      api,
      { path: `${path}/affinities`, query, signal },
      (page) => page.affinities,
    ),
    listingOf<Answer<"blocksRead">, Block>(
      api,
      { path: "blocks", query: { host: name, ...query }, signal },
      (page) => page.blocks,
    ),
    // Only machines are registered.
    type === "host" ? unlessAbsent(api.get<Node>(path, {}, signal)) : undefined,
  ]);
  return {
    affinities: affinities.items,
    blocks: blocks.items,
    unreadable: eachOnce([...affinities.unreadable, ...blocks.unreadable]),
    node,
    type,
  };
}

/** Returns the items that two lists of a host name, each once. */
const eachOnce = (items: readonly UnreadableItem[]): readonly UnreadableItem[] => [
  ...new Map(items.map((one) => [one.item, one])).values(),
];
