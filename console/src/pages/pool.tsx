import { useMemo } from "preact/hooks";
import { Acting } from "../acts/acting.tsx";
import { assignFrom } from "../acts/addresses.tsx";
import { actsOn } from "../acts/pools.tsx";
import { type Api, segment, type Versioned } from "../api/api.ts";
import { allOf, pagesOf } from "../api/pages.ts";
import type { Answer, Block, Pool, PoolHistory, Usage } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { WAYS } from "../map/block-map.tsx";
import { type PoolMap, readMap } from "../map/read-map.ts";
import { blocksIn, countOf, hasRoom, type Part, shareUsed } from "../map/tiles.ts";
import { readCidr } from "../network/cidr.ts";
import { Facts } from "../parts/facts.tsx";
import { Head } from "../parts/head.tsx";
import { Moment } from "../parts/moment.tsx";
import { UsagePlot } from "../parts/plot.tsx";
import { Shown } from "../parts/shown.tsx";
import { State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { textOf } from "../parts/text-of.ts";
import { Named, NamedHost, To } from "../parts/to.tsx";
import { Unreadable } from "../parts/unreadable.tsx";
import { number, UsageBar, UsageBarToCome } from "../parts/usage-bar.tsx";
import { useNavigation } from "../state/navigation.tsx";
import { MapOfPool } from "./map-of-pool.tsx";
import { PoolsBelow, type PoolsUsed } from "./pool-card.tsx";
import { nodeOf, type PoolCounts, treeOf } from "./pool-tree.ts";
import { countPools, type PoolsListed, readPools } from "./read-pools.ts";

/** A pool as it is read: its map comes page by page. */
interface PoolShown {
  readonly pool: Versioned<Pool>;
  readonly history: PoolHistory;
  readonly map: PoolMap;
  /** The counts of the whole pool. They are counted after the map, which is large. */
  readonly usage?: Usage | undefined;
}

/** A pool: its use, its block map, its past, and its fields. */
export function PoolPage({ name }: { readonly name: string }) {
  const api = useApi();
  const { place, see } = useNavigation();
  const key = `${place.space} ${name}`;
  const loaded = useLoad<PoolShown>({ key }, (signal, show) => readPool(api, name, signal, show));
  const by = WAYS.find((way) => way === place.view.by) ?? "fill";
  return (
    <>
      <Head kind="Pool" title={name} loaded={loaded} />
      <Shown loaded={loaded} what={`the pool ${name}`}>
        {({ pool: versioned, pool: { value: pool }, history, map, usage }) => (
          <>
            <p class="under">
              <code>{pool.cidr}</code>
              {pool.parent && (
                <span>
                  a prefix of <Named kind="pool" name={pool.parent} />
                </span>
              )}
              {pool.state && <State state={pool.state} />}
              {pool.disabled && <State state="disabled" />}
              {pool.job && (
                <To page={{ kind: "jobs" }} view={{ id: pool.job }}>
                  job in progress
                </To>
              )}
              {history.exhaustedAt && (
                <span>
                  At this rate the pool is full on <Moment at={history.exhaustedAt} />.
                </span>
              )}
            </p>
            <Acting
              acts={{
                ...(pool.assign === "addresses" && { assign: assignFrom(api, pool) }),
                ...actsOn(api, versioned),
              }}
              reload={loaded.reload}
            />
            <Use pool={pool} parts={map.parts} usage={usage} />
            <Unreadable items={map.unreadable} />
            {pool.assign === "prefixes" && <PoolsOf name={name} />}
            <div class="row">
              <h2>Blocks</h2>
              <fieldset class="choice">
                <legend class="unseen">Show the blocks</legend>
                {WAYS.map((way) => (
                  <label key={way}>
                    <input
                      type="radio"
                      name="by"
                      checked={by === way}
                      onChange={() => see({ by: way === "fill" ? "" : way, fill: "", host: "" })}
                    />
                    {WAY_TEXT[way]}
                  </label>
                ))}
              </fieldset>
            </div>
            {by === "table" ? (
              <BlockTable name={name} />
            ) : (
              <MapOfPool pool={pool} parts={map.parts} by={by} />
            )}
            <div class="beside">
              <Past history={history} />
              <div class="details">
                <h2>Fields</h2>
                <Facts
                  facts={Object.entries(pool).map(([field, value]) => [field, textOf(value)])}
                />
              </div>
            </div>
          </>
        )}
      </Shown>
    </>
  );
}

async function readPool(
  api: Api,
  name: string,
  signal: AbortSignal,
  show: (part: PoolShown) => void,
): Promise<PoolShown> {
  const path = `pools/${segment(name)}`;
  const [pool, history] = await Promise.all([
    api.read<Pool>(path, signal),
    api.get<PoolHistory>(`${path}/history`, {}, signal),
  ]);
  const whole = readCidr(pool.value.cidr);
  const byBlock = whole !== undefined && hasRoom(whole, pool.value.blockSize);
  const shown = (map: PoolMap) => show({ pool, history, map });
  shown({ parts: [], unreadable: [] });
  const map = await readMap(api, { name, byBlock }, signal, shown);
  const [counted] = await allOf<Answer<"spaceUtilizationRead">, Usage>(
    api,
    { path: "utilization", query: { pool: name }, signal },
    (page) => page.pools,
  );
  return { pool, history, map, usage: counted };
}

const WAY_TEXT = { fill: "by fill", host: "by host", table: "as a table" } as const;

/** The use of the pool, and how many of its blocks have a host. */
function Use(props: {
  readonly pool: Pool;
  readonly parts: readonly Part[];
  readonly usage: Usage | undefined;
}) {
  const { pool, parts, usage } = props;
  const blocks = useMemo(() => parts.reduce((all, part) => all + part.blocks, 0), [parts]);
  const whole = readCidr(pool.cidr);
  // Pools with ranges share the blocks of their CIDR, and a block of another one is not in the map of this.
  const inAll = whole && !pool.ranges ? blocksIn(whole, pool.blockSize) : undefined;
  return (
    <>
      {usage ? <UsageBar usage={usage} legend /> : <UsageBarToCome legend />}
      <p class="soft">
        {!usage && (
          <>
            <span role="status">Counting the {pool.assign}…</span> So far,{" "}
          </>
        )}
        {inAll === undefined
          ? `${number(blocks)} ${blocks === 1 ? "block is" : "blocks are"} claimed.`
          : `${number(blocks)} of ${number(inAll)} blocks are claimed.`}
      </p>
    </>
  );
}

/** As many pages of pools as a space of 2,000 pools has. */
const POOL_PAGES_MAX = 8;

/** The pools that are made of the prefixes of a pool, as the overview shows them. */
function PoolsOf({ name }: { readonly name: string }) {
  const api = useApi();
  const { space } = useNavigation().place;
  const loaded = useLoad<PoolsListed & PoolsUsed>(
    { key: `${space} ${name}` },
    async (signal, show) => {
      const listed = await readPools(api, POOL_PAGES_MAX, signal);
      const usage = new Map<string, PoolCounts>();
      const shown = { ...listed, usage, past: new Map<string, PoolHistory>() };
      show({ ...shown, isCounting: true });
      if (listed.pools.some(({ parent }) => parent === name))
        await countPools(api, usage, signal, () => show({ ...shown, isCounting: true }));
      return { ...shown, isCounting: false };
    },
  );
  return (
    <section class="tree" aria-labelledby="below-title">
      <h2 id="below-title">Pools below</h2>
      <Shown loaded={loaded} what={`the pools below ${name}`}>
        {(used) => {
          const node = nodeOf(name, treeOf(used.pools));
          return (
            <>
              {node && node.children.length > 0 ? (
                <PoolsBelow node={node} used={used} />
              ) : (
                <p class="none">No pool is made of a prefix of this one.</p>
              )}
              {used.isPart && (
                <p class="soft">
                  Only the first {number(used.pools.length)} pools of the space were searched.
                </p>
              )}
            </>
          );
        }}
      </Shown>
    </section>
  );
}

function BlockTable({ name }: { readonly name: string }) {
  const api = useApi();
  const { space } = useNavigation().place;
  const loaded = useLoad<readonly Block[]>({ key: `${space} ${name}` }, async (signal, show) => {
    const blocks: Block[] = [];
    const walk = { path: "blocks", query: { pool: name, limit: BLOCKS_PER_PAGE }, signal };
    for await (const page of pagesOf<Answer<"blocksRead">>(api, walk)) {
      blocks.push(...page.blocks);
      show([...blocks]);
    }
    return blocks;
  });
  return (
    <Shown loaded={loaded} what={`the list of blocks of ${name}`}>
      {(blocks) => (
        <Table
          label="Blocks"
          none="No block of this pool is claimed."
          rows={blocks}
          keyOf={({ cidr }) => cidr}
          columns={[
            {
              title: "Block",
              value: ({ cidr }) => cidr,
              show: ({ cidr }) => <Named kind="block" name={cidr} />,
            },
            {
              title: "Host",
              value: ({ host }) => host ?? "none",
              show: ({ host, affinityType }) =>
                host ? <NamedHost name={host} type={affinityType} /> : "none",
            },
            {
              title: "Use",
              value: (block) => shareUsed(countOf(block)),
              show: (block) => <UsageBar usage={block} />,
            },
            {
              title: "In use",
              value: ({ inUse }) => Number(inUse),
              show: ({ inUse }) => number(inUse),
              isCount: true,
            },
            {
              title: "Cooling",
              value: ({ cooling }) => Number(cooling),
              show: ({ cooling }) => number(cooling),
              isCount: true,
            },
            {
              title: "Free",
              value: ({ available }) => Number(available),
              show: ({ available }) => number(available),
              isCount: true,
            },
            {
              title: "Claimed",
              value: ({ claimedAt }) => claimedAt,
              show: ({ claimedAt }) => <Moment at={claimedAt} />,
            },
          ]}
        />
      )}
    </Shown>
  );
}

const BLOCKS_PER_PAGE = 1_000;

const SAMPLES_MIN = 2;

function Past({ history }: { readonly history: PoolHistory }) {
  const { samples } = history;
  return (
    <section aria-labelledby="past-title">
      <h2 id="past-title">Use over time, in UTC</h2>
      {samples.length < SAMPLES_MIN ? (
        <p class="none">No history yet; usage is sampled every 5 minutes.</p>
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
