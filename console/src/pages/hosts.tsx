import { useState } from "preact/hooks";
import type { Api } from "../api/api.ts";
import type { Answer, UnreadableItem } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { Head } from "../parts/head.tsx";
import { useLive } from "../parts/live.tsx";
import { Shown } from "../parts/shown.tsx";
import { Table } from "../parts/table.tsx";
import { Named } from "../parts/to.tsx";
import { Unreadable } from "../parts/unreadable.tsx";
import { number } from "../parts/usage-bar.tsx";
import { useNavigation } from "../state/navigation.tsx";

type HostList = Answer<"hostsRead">;

interface Hosts {
  readonly hosts: HostList["hosts"];
  readonly unreadable: readonly UnreadableItem[];
  /** True if there may be more. */
  readonly isPart: boolean;
}

/** A page of hosts reads the allocations of their blocks, so all of them come on request only. */
const PAGE_HOSTS = 100;

/** The hosts that own a block or use an address, in the order of their blocks. */
export function HostsPage() {
  const api = useApi();
  const { space } = useNavigation().place;
  const [least, setLeast] = useState(1);
  const loaded = useLoad<Hosts>({ key: space, live: useLive() }, (signal) =>
    readHosts(api, least, signal),
  );
  return (
    <>
      <Head title="Hosts" loaded={loaded} />
      <Shown loaded={loaded} what="the hosts">
        {({ hosts, unreadable, isPart }) => (
          <>
            <Unreadable items={unreadable} />
            <Table
              label="Hosts"
              none="No host owns a block or uses an address."
              rows={hosts}
              keyOf={({ host, affinityType }) => `${affinityType} ${host}`}
              columns={[
                { title: "Host", show: ({ host }) => <Named kind="host" name={host} /> },
                { title: "Kind", show: ({ affinityType }) => affinityType },
                { title: "Blocks", show: ({ blocks }) => number(blocks), isCount: true },
                {
                  title: "Blocks of others",
                  show: ({ otherBlocks }) => number(otherBlocks),
                  isCount: true,
                },
              ]}
            />
            {isPart && (
              <button
                type="button"
                onClick={() => {
                  setLeast(hosts.length + 1);
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

/** Reads pages until they have a number of hosts at least, because a page can be empty. */
async function readHosts(api: Api, least: number, signal: AbortSignal): Promise<Hosts> {
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
  return { hosts, unreadable, isPart: cursor !== undefined };
}
