import { useState } from "preact/hooks";
import { Acting } from "../acts/acting.tsx";
import { createPool } from "../acts/pools.tsx";
import type { Api } from "../api/api.ts";
import { allOf } from "../api/pages.ts";
import type { Answer, Pool, PoolHistory, UnreadableItem, Usage } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { Head } from "../parts/head.tsx";
import { useLive } from "../parts/live.tsx";
import { Moment } from "../parts/moment.tsx";
import { Shown } from "../parts/shown.tsx";
import { Spark } from "../parts/spark.tsx";
import { State } from "../parts/state.tsx";
import { Named, To } from "../parts/to.tsx";
import { Unreadable } from "../parts/unreadable.tsx";
import { number, percent, UsageBar } from "../parts/usage-bar.tsx";
import { useNavigation } from "../state/navigation.tsx";
import { Spaces } from "./spaces.tsx";

interface Overview {
  readonly pools: readonly Pool[];
  readonly unreadable: readonly UnreadableItem[];
  readonly alarms: Answer<"alarmsRead">["alarms"];
}

/** The pools of the space with their use, and the alarms. */
export function OverviewPage() {
  const api = useApi();
  const { space } = useNavigation().place;
  const isLive = useLive();
  const loaded = useLoad<Overview>({ key: space, live: isLive }, (signal) =>
    readOverview(api, signal),
  );
  return (
    <>
      <Head title="Overview" loaded={loaded} />
      <Shown loaded={loaded} what="the pools">
        {({ pools, unreadable, alarms }) => (
          <>
            {alarms.length > 0 && (
              <p class="alarmed">
                <To page={{ kind: "alarms" }}>
                  {alarms.length === 1 ? "1 alarm" : `${alarms.length} alarms`}
                </To>
                : {alarms[0]?.detail}
              </p>
            )}
            <Unreadable items={unreadable} />
            <Acting acts={{ create: createPool(api) }} reload={loaded.reload} />
            <Pools pools={pools} turn={loaded.at?.getTime() ?? 0} />
            <Spaces />
          </>
        )}
      </Shown>
    </>
  );
}

async function readOverview(api: Api, signal: AbortSignal): Promise<Overview> {
  const unreadable: UnreadableItem[] = [];
  const [pools, { alarms }] = await Promise.all([
    allOf<Answer<"poolsRead">, Pool>(
      api,
      { path: "pools", query: { limit: 250 }, signal },
      (page) => {
        unreadable.push(...(page.unreadable ?? []));
        return page.pools;
      },
    ),
    api.get<Answer<"alarmsRead">>("alarms", {}, signal),
  ]);
  return { pools, unreadable, alarms };
}

/** Each pool reads its own counts, so a page of them has a limit. */
const POOLS_FIRST = 50;

function Pools({ pools, turn }: { readonly pools: readonly Pool[]; readonly turn: number }) {
  const [count, setCount] = useState(POOLS_FIRST);
  const { space } = useNavigation().place;
  if (pools.length === 0)
    return (
      <p class="none">
        The space <code>{space}</code> has no pools. Create one above, with{" "}
        <code>plat pool create</code>, or with a PUT of <code>/v1/pools/NAME</code>.
      </p>
    );
  return (
    <>
      <h2>
        {pools.length === 1 ? "1 pool" : `${pools.length} pools`} in the space {space}
      </h2>
      <ul class="cards">
        {pools.slice(0, count).map((pool) => (
          <PoolCard key={pool.name} pool={pool} turn={turn} />
        ))}
      </ul>
      {pools.length > count && (
        <button type="button" onClick={() => setCount(count + POOLS_FIRST)}>
          Show more of the {pools.length}
        </button>
      )}
    </>
  );
}

interface PoolUse {
  readonly usage: Usage;
  readonly history: PoolHistory;
}

function PoolCard({ pool, turn }: { readonly pool: Pool; readonly turn: number }) {
  const api = useApi();
  const { space } = useNavigation().place;
  const { name, cidr, disabled, state, assign } = pool;
  const key = `${space} ${name} ${turn}`;
  const [last, setLast] = useState<PoolUse | undefined>(undefined);
  const loaded = useLoad<PoolUse>({ key }, async (signal) => {
    const use = await readUse(api, name, signal);
    setLast(use);
    return use;
  });
  // The last counts stay in sight until the next ones are here.
  const shown = loaded.value || loaded.rejection ? loaded : { ...loaded, value: last };
  return (
    <li class="card">
      <h3>
        <Named kind="pool" name={name} />
        <span class="soft"> {cidr}</span>
        {state && <State state={state} />}
        {disabled && !state && <State state="disabled" />}
      </h3>
      <Shown loaded={shown} what={`the use of ${name}`}>
        {({ usage, history }) => (
          <>
            <UsageBar usage={usage} />
            <p class="numbers">
              <span>
                <b>{number(usage.inUse)}</b> of {number(usage.capacity)}{" "}
                {assign === "prefixes" ? "prefixes" : "addresses"} in use
              </span>
              {history.percentUsed !== undefined && (
                <span>{percent(history.percentUsed)} not free</span>
              )}
              <span>
                <b>{number(usage.available)}</b> free
              </span>
              <Growth history={history} />
            </p>
            <Spark samples={history.samples} />
            {history.exhaustedAt && (
              <p class="forecast">
                Nothing is left on <Moment at={history.exhaustedAt} />, if the use grows on.
              </p>
            )}
          </>
        )}
      </Shown>
    </li>
  );
}

/** Returns the counts of the last pass of `reclaim`, or counts the pool if there was none yet. */
async function readUse(api: Api, name: string, signal: AbortSignal): Promise<PoolUse> {
  const history = await api.get<PoolHistory>(
    `pools/${encodeURIComponent(name)}/history`,
    {},
    signal,
  );
  if (history.current) return { usage: history.current, history };
  const [counted] = await allOf<Answer<"spaceUtilizationRead">, Usage>(
    api,
    { path: "utilization", query: { pool: name }, signal },
    (page) => page.pools,
  );
  if (!counted) throw new Error("the pool has gone");
  return { usage: counted, history };
}

const DAY_MS = 86_400_000;

/** The growth over the last day of which there are samples. */
function Growth({ history }: { readonly history: PoolHistory }) {
  const last = history.samples.at(-1);
  const first =
    last && history.samples.find(({ at }) => Date.parse(at) >= Date.parse(last.at) - DAY_MS);
  if (!first || !last || first === last) return null;
  const grown = Number(last.inUse) - Number(first.inUse);
  const hours = Math.max(1, Math.round((Date.parse(last.at) - Date.parse(first.at)) / 3_600_000));
  if (grown === 0) return <span>no growth in {hours} h</span>;
  return (
    <span>
      {grown > 0 ? "+" : "−"}
      {number(Math.abs(grown))} in {hours} h
    </span>
  );
}
