import { useState } from "preact/hooks";
import type { Api } from "../api/api.ts";
import { pagesOf } from "../api/pages.ts";
import type { Answer, UnreadableItem } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { type Count, countOf, NONE, shareUsed, sum } from "../map/tiles.ts";
import { Head } from "../parts/head.tsx";
import { Shown } from "../parts/shown.tsx";
import { Table } from "../parts/table.tsx";
import { NamedHost } from "../parts/to.tsx";
import { Unreadable } from "../parts/unreadable.tsx";
import { number, UsageBar } from "../parts/usage-bar.tsx";
import { useNavigation } from "../state/navigation.tsx";

type HostList = Answer<"hostsRead">;

interface Hosts {
  readonly hosts: HostList["hosts"];
  readonly unreadable: readonly UnreadableItem[];
  /** True if there may be more. */
  readonly isPart: boolean;
  /** The counts of the blocks of each host, by its key; absent if the space has too many blocks to read. */
  readonly usage: ReadonlyMap<string, Count> | undefined;
}

/** A page of hosts reads the allocations of their blocks, so more than these come on request only. */
const PAGE_HOSTS = 100;
const BLOCKS_PER_PAGE = 1_000;
const BLOCK_PAGES_MAX = 4;

/** Returns the key of a host: a machine and a virtual host may have one name. */
const keyOf = ({ host, affinityType }: Pick<HostList["hosts"][number], "host" | "affinityType">) =>
  `${affinityType} ${host}`;

const byName = new Intl.Collator("en", { numeric: true });

/** The hosts that own a block or use an address, by name. */
export function HostsPage() {
  const api = useApi();
  const { space } = useNavigation().place;
  const [least, setLeast] = useState(PAGE_HOSTS);
  const loaded = useLoad<Hosts>({ key: space }, (signal) => readHosts(api, least, signal));
  return (
    <>
      <Head title="Hosts" loaded={loaded} />
      <Shown loaded={loaded} what="the hosts">
        {({ hosts, unreadable, isPart, usage }) => (
          <>
            <Unreadable items={unreadable} />
            {isPart && (
              <p class="soft">
                These are {number(hosts.length)} of the hosts. Filter and order apply to these only.
              </p>
            )}
            <Table
              label="Hosts"
              none="No host owns a block or uses an address."
              rows={hosts}
              keyOf={(host) => keyOf(host)}
              columns={[
                {
                  title: "Host",
                  value: ({ host }) => host,
                  show: ({ host, affinityType }) => <NamedHost name={host} type={affinityType} />,
                },
                {
                  title: "Kind",
                  value: ({ affinityType }) => affinityType,
                  show: ({ affinityType }) => affinityType,
                },
                {
                  title: "Use of its blocks",
                  value: (host) => {
                    const count = usage?.get(keyOf(host));
                    return count && shareUsed(count);
                  },
                  show: (host) => {
                    const count = usage?.get(keyOf(host));
                    return count && <UsageBar usage={count} />;
                  },
                },
                {
                  title: "In use",
                  value: (host) => usage && (usage.get(keyOf(host))?.inUse ?? 0),
                  show: (host) => usage && number(usage.get(keyOf(host))?.inUse ?? 0),
                  isCount: true,
                },
                {
                  title: "Blocks",
                  value: ({ blocks }) => blocks,
                  show: ({ blocks }) => number(blocks),
                  isCount: true,
                },
                {
                  title: "Blocks of others",
                  value: ({ otherBlocks }) => otherBlocks,
                  show: ({ otherBlocks }) => number(otherBlocks),
                  isCount: true,
                },
              ]}
            />
            {isPart && (
              <button
                type="button"
                onClick={() => {
                  setLeast(hosts.length + PAGE_HOSTS);
                  loaded.reload();
                }}
              >
                Show more hosts
              </button>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

/** Reads pages until they have a number of hosts at least, because a page can have few or none. */
async function readHosts(api: Api, least: number, signal: AbortSignal): Promise<Hosts> {
  const counting = countByHost(api, signal);
  const hosts: HostList["hosts"] = [];
  const unreadable: UnreadableItem[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE_HOSTS, cursor };
    const page = await api.get<HostList>("hosts", query, signal);
    hosts.push(...page.hosts);
    unreadable.push(...(page.unreadable ?? []));
    cursor = page.next;
  } while (cursor !== undefined && hosts.length < least);
  hosts.sort((a, b) => byName.compare(a.host, b.host));
  return { hosts, unreadable, isPart: cursor !== undefined, usage: await counting };
}

/** Sums the counts of the blocks of each host. It returns nothing if the space has more blocks than some pages. */
async function countByHost(
  api: Api,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Count> | undefined> {
  const usage = new Map<string, Count>();
  let pages = 0;
  const walk = { path: "blocks", query: { limit: BLOCKS_PER_PAGE }, signal };
  for await (const page of pagesOf<Answer<"blocksRead">>(api, walk)) {
    for (const block of page.blocks) {
      const { host, affinityType = "host" } = block;
      if (host === undefined) continue;
      const key = keyOf({ host, affinityType });
      usage.set(key, sum(usage.get(key) ?? NONE, countOf(block)));
    }
    if (++pages === BLOCK_PAGES_MAX && page.next !== undefined) return undefined;
  }
  return usage;
}
