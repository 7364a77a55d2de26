import { useMemo } from "preact/hooks";
import { Acting } from "../acts/acting.tsx";
import { actsOn } from "../acts/pools.tsx";
import type { Api, Versioned } from "../api/api.ts";
import { pagesOf } from "../api/pages.ts";
import type { Answer, Block, Pool, PoolHistory, UnreadableItem } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { BlockMap, WAYS } from "../map/block-map.tsx";
import { countOf, NONE, sum } from "../map/tiles.ts";
import { readCidr } from "../network/cidr.ts";
import { Facts } from "../parts/facts.tsx";
import { Head } from "../parts/head.tsx";
import { useLive } from "../parts/live.tsx";
import { Moment } from "../parts/moment.tsx";
import { UsagePlot } from "../parts/plot.tsx";
import { Shown } from "../parts/shown.tsx";
import { State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { textOf } from "../parts/text-of.ts";
import { Named, To } from "../parts/to.tsx";
import { Unreadable } from "../parts/unreadable.tsx";
import { number, UsageBar } from "../parts/usage-bar.tsx";
import { useNavigation } from "../state/navigation.tsx";

interface Blocks {
  readonly blocks: readonly Block[];
  readonly unreadable: readonly UnreadableItem[];
}

interface PoolAndHistory {
  readonly pool: Versioned<Pool>;
  readonly history: PoolHistory;
}

/** A pool: its use, its block map, its past, and its fields. */
export function PoolPage({ name }: { readonly name: string }) {
  const api = useApi();
  const { place, see } = useNavigation();
  const isLive = useLive();
  const key = `${place.space} ${name}`;
  const path = `pools/${encodeURIComponent(name)}`;
  const loaded = useLoad<PoolAndHistory>({ key, live: isLive }, async (signal) => {
    const [pool, history] = await Promise.all([
      api.read<Pool>(path, signal),
      api.get<PoolHistory>(`${path}/history`, {}, signal),
    ]);
    return { pool, history };
  });
  const blocks = useLoad<Blocks>({ key, live: isLive }, (signal, show) =>
    readBlocks(api, name, signal, show),
  );
  const reload = () => {
    loaded.reload();
    blocks.reload();
  };
  const by = WAYS.find((way) => way === place.view.by) ?? "fill";
  return (
    <>
      <Head kind="Pool" title={name} loaded={{ ...blocks, reload }} />
      <Shown loaded={loaded} what={`the pool ${name}`}>
        {({ pool: versioned, pool: { value: pool }, history }) => (
          <>
            <p class="under">
              <code>{pool.cidr}</code>
              {pool.state && <State state={pool.state} />}
              {pool.disabled && <State state="disabled" />}
              {pool.job && (
                <To page={{ kind: "jobs" }} view={{ id: pool.job }}>
                  the job that works on it
                </To>
              )}
              {history.exhaustedAt && (
                <span>
                  Nothing is left on <Moment at={history.exhaustedAt} />, if the use grows on.
                </span>
              )}
            </p>
            <Acting acts={actsOn(api, versioned)} reload={reload} />
            <Shown loaded={blocks} what={`the blocks of ${name}`}>
              {(read) => (
                <>
                  <Use pool={pool} blocks={read.blocks} isWhole={blocks.at !== undefined} />
                  <Unreadable items={read.unreadable} />
                  <div class="row">
                    <h2>Blocks</h2>
                    <fieldset class="choice">
                      <legend class="unseen">See the blocks</legend>
                      {WAYS.map((way) => (
                        <label key={way}>
                          <input
                            type="radio"
                            name="by"
                            checked={by === way}
                            onChange={() =>
                              see({ by: way === "fill" ? "" : way, fill: "", host: "" })
                            }
                          />
                          {WAY_TEXT[way]}
                        </label>
                      ))}
                    </fieldset>
                  </div>
                  {by === "table" ? (
                    <BlockTable blocks={read.blocks} />
                  ) : (
                    <PoolMap pool={pool} blocks={read.blocks} by={by} />
                  )}
                </>
              )}
            </Shown>
            <Past history={history} />
            <h2>Fields</h2>
            <Facts facts={Object.entries(pool).map(([field, value]) => [field, textOf(value)])} />
          </>
        )}
      </Shown>
    </>
  );
}

async function readBlocks(
  api: Api,
  name: string,
  signal: AbortSignal,
  show: (part: Blocks) => void,
): Promise<Blocks> {
  const blocks: Block[] = [];
  const unreadable: UnreadableItem[] = [];
  let shown = 0;
  const walk = { path: "blocks", query: { pool: name, limit: 1_000 }, signal };
  for await (const page of pagesOf<Answer<"blocksRead">>(api, walk)) {
    blocks.push(...page.blocks);
    unreadable.push(...(page.unreadable ?? []));
    // A map is drawn anew for each part, so the parts double: all of them cost about as much as the whole.
    if (blocks.length < 2 * shown) continue;
    shown = blocks.length;
    show({ blocks: [...blocks], unreadable });
  }
  return { blocks, unreadable };
}

const WAY_TEXT = { fill: "by fill", host: "by host", table: "as a table" } as const;

function PoolMap(props: {
  readonly pool: Pool;
  readonly blocks: readonly Block[];
  readonly by: "fill" | "host";
}) {
  const { pool, blocks, by } = props;
  const whole = useMemo(() => readCidr(pool.cidr), [pool.cidr]);
  if (!whole) return null;
  const { name, blockSize } = pool;
  return <BlockMap name={name} whole={whole} blockLength={blockSize} blocks={blocks} by={by} />;
}

/** The use of the pool. Addresses in no block are those that no host has claimed. */
function Use(props: {
  readonly pool: Pool;
  readonly blocks: readonly Block[];
  readonly isWhole: boolean;
}) {
  const { pool, blocks, isWhole } = props;
  const usage = useMemo(() => blocks.map(countOf).reduce(sum, NONE), [blocks]);
  const whole = readCidr(pool.cidr);
  const inAll = whole ? 2 ** (pool.blockSize - whole.length) : 0;
  // The blocks of a pool that is a set of addresses have addresses of other pools too, so nothing follows from their number.
  const perBlock = pool.assign === "prefixes" ? 1 : whole ? 2 ** (whole.bits - pool.blockSize) : 0;
  const unclaimed = pool.ranges || !isWhole ? 0 : (inAll - blocks.length) * perBlock;
  return (
    <>
      <UsageBar usage={usage} unclaimed={unclaimed} legend />
      <p class="soft">
        {isWhole ? "" : "So far: "}
        {number(blocks.length)} of {number(inAll)} blocks are claimed.
      </p>
    </>
  );
}

function BlockTable({ blocks }: { readonly blocks: readonly Block[] }) {
  return (
    <Table
      label="Blocks"
      none="No block of this pool is claimed."
      rows={blocks}
      keyOf={({ cidr }) => cidr}
      columns={[
        { title: "Block", show: ({ cidr }) => <Named kind="block" name={cidr} /> },
        { title: "Host", show: ({ host }) => (host ? <Named kind="host" name={host} /> : "none") },
        { title: "Use", show: (block) => <UsageBar usage={block} /> },
        { title: "In use", show: ({ inUse }) => number(inUse), isCount: true },
        { title: "Cooling", show: ({ cooling }) => number(cooling), isCount: true },
        { title: "Free", show: ({ available }) => number(available), isCount: true },
        { title: "Claimed", show: ({ claimedAt }) => <Moment at={claimedAt} /> },
      ]}
    />
  );
}

const SAMPLES_MIN = 2;

function Past({ history }: { readonly history: PoolHistory }) {
  const { samples } = history;
  return (
    <section aria-labelledby="past-title">
      <h2 id="past-title">Use over time</h2>
      {samples.length < SAMPLES_MIN ? (
        <p class="none">Reclaim has not counted this pool twice yet.</p>
      ) : (
        <>
          <UsagePlot samples={samples} />
          <details>
            <summary>The numbers</summary>
            <Table
              label="Use over time"
              none=""
              rows={[...samples].reverse()}
              keyOf={({ at }) => at}
              columns={[
                { title: "At", show: ({ at }) => <Moment at={at} /> },
                { title: "In use", show: ({ inUse }) => number(inUse), isCount: true },
                { title: "Free", show: ({ available }) => number(available), isCount: true },
                {
                  title: "Can be assigned",
                  show: ({ assignable }) => number(assignable),
                  isCount: true,
                },
              ]}
            />
          </details>
        </>
      )}
    </section>
  );
}
