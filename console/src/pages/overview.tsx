import { useState } from "preact/hooks";
import { Acting } from "../acts/acting.tsx";
import { createPool } from "../acts/pools.tsx";
import { type Api, segment } from "../api/api.ts";
import { pagesOf } from "../api/pages.ts";
import { Rejection } from "../api/rejection.ts";
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
import { number, UsageBar } from "../parts/usage-bar.tsx";
import { useNavigation } from "../state/navigation.tsx";
import { Spaces } from "./spaces.tsx";

interface Overview {
  readonly pools: readonly Pool[];
  /** True if the space may have more pools. */
  readonly isPart: boolean;
  readonly unreadable: readonly UnreadableItem[];
  readonly alarms: Answer<"alarmsRead">["alarms"];
  /** The counts of now, by the name of the pool. */
  readonly usage: ReadonlyMap<string, Usage>;
  /** True while pools are counted. */
  readonly isCounting: boolean;
  /** The past of each pool, where a space has few. */
  readonly past: ReadonlyMap<string, PoolHistory>;
}

/** The pools of the space with their use, and the alarms. */
export function OverviewPage() {
  const api = useApi();
  const { space } = useNavigation().place;
  const isLive = useLive();
  const [pages, setPages] = useState(1);
  const loaded = useLoad<Overview>({ key: space, live: isLive }, (signal, show) =>
    readOverview(api, pages, signal, show),
  );
  return (
    <>
      <Head title="Overview" loaded={loaded} />
      <Shown loaded={loaded} what="the pools">
        {(overview) => (
          <>
            <Alarmed alarms={overview.alarms} />
            <Unreadable items={overview.unreadable} />
            <Acting acts={{ create: createPool(api) }} reload={loaded.reload} />
            <Pools overview={overview} />
            {overview.isPart && (
              <button
                type="button"
                onClick={() => {
                  setPages(pages + 1);
                  loaded.reload();
                }}
              >
                Read more pools
              </button>
            )}
            <Spaces />
          </>
        )}
      </Shown>
    </>
  );
}

function Alarmed({ alarms }: Pick<Overview, "alarms">) {
  const [first] = alarms;
  if (!first) return null;
  return (
    <p class="alarmed">
      <To page={{ kind: "alarms" }}>
        {alarms.length === 1 ? "1 alarm" : `${alarms.length} alarms`}
      </To>
      : {first.detail}
    </p>
  );
}

const POOLS_PER_PAGE = 250;
/** A request counts pools for some seconds. What is not counted then, the page of a pool counts. */
const COUNTING_REQUESTS_MAX = 4;
/** The past of a pool is a request of its own, so that only a space of few pools shows it here. */
const PAST_POOLS_MAX = 4;

/** Reads the overview in ten requests at most, and shows what it has meanwhile. Each further page of pools is one more. */
async function readOverview(
  api: Api,
  pages: number,
  signal: AbortSignal,
  show: (part: Overview) => void,
): Promise<Overview> {
  const [listed, { alarms }] = await Promise.all([
    readPools(api, pages, signal),
    api.get<Answer<"alarmsRead">>("alarms", {}, signal),
  ]);
  const few = listed.pools.length <= PAST_POOLS_MAX ? listed.pools : [];
  const usage = new Map<string, Usage>();
  const past = new Map<string, PoolHistory>();
  const shown = { ...listed, alarms, usage, past };
  show({ ...shown, isCounting: true });
  const reading = few.map(async ({ name }) => {
    past.set(name, await api.get<PoolHistory>(`pools/${segment(name)}/history`, {}, signal));
  });
  await countAll(api, usage, signal, () => show({ ...shown, isCounting: true }));
  await Promise.all(reading);
  return { ...shown, isCounting: false };
}

async function readPools(api: Api, pages: number, signal: AbortSignal) {
  const pools: Pool[] = [];
  const unreadable: UnreadableItem[] = [];
  let read = 0;
  const walk = { path: "pools", query: { limit: POOLS_PER_PAGE }, signal };
  for await (const page of pagesOf<Answer<"poolsRead">>(api, walk)) {
    pools.push(...page.pools);
    unreadable.push(...(page.unreadable ?? []));
    if (++read === pages) return { pools, unreadable, isPart: page.next !== undefined };
  }
  return { pools, unreadable, isPart: false };
}

/** Adds the counts of now, of all pools in the order of their names, as far as some requests get. */
async function countAll(
  api: Api,
  usage: Map<string, Usage>,
  signal: AbortSignal,
  each: () => void,
): Promise<void> {
  let requests = 0;
  const walk = { path: "utilization", signal };
  try {
    for await (const page of pagesOf<Answer<"spaceUtilizationRead">>(api, walk)) {
      for (const counted of page.pools) usage.set(counted.pool, counted);
      each();
      if (++requests === COUNTING_REQUESTS_MAX) return;
    }
  } catch (error) {
    // One unreadable pool prevents the count of all. The page names it, and the others can be counted one by one.
    if (!(error instanceof Rejection && error.code === "unreadable")) throw error;
  }
}

const POOLS_FIRST = 50;

function Pools({ overview }: { readonly overview: Overview }) {
  const { pools, isPart } = overview;
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
        {isPart ? "The first " : ""}
        {pools.length === 1 ? "1 pool" : `${pools.length} pools`} in the space {space}
      </h2>
      <ul class="cards">
        {pools.slice(0, count).map((pool) => (
          <PoolCard key={pool.name} pool={pool} overview={overview} />
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

function PoolCard({ pool, overview }: { readonly pool: Pool; readonly overview: Overview }) {
  const { name, cidr, disabled, state, assign } = pool;
  const usage = overview.usage.get(name);
  const history = overview.past.get(name);
  const exhaustedAt =
    history?.exhaustedAt ??
    overview.alarms.find((alarm) => alarm.pool === name && alarm.exhaustedAt)?.exhaustedAt;
  return (
    <li class="card">
      <h3>
        <Named kind="pool" name={name} />
        <span class="soft"> {cidr}</span>
        {state && <State state={state} />}
        {disabled && !state && <State state="disabled" />}
      </h3>
      {usage ? (
        <>
          <p class="numbers">
            <span>
              <b>{number(usage.inUse)}</b> of {number(usage.capacity)} {assign} in use
            </span>
            {history && <Growth history={history} />}
          </p>
          <UsageBar usage={usage} legend />
        </>
      ) : (
        <p class="soft">
          {overview.isCounting ? "Counting…" : "Not counted here: the page of the pool counts it."}
        </p>
      )}
      {history && <Spark samples={history.samples} />}
      {exhaustedAt && (
        <p class="forecast">
          At this rate the pool is full on <Moment at={exhaustedAt} />.
        </p>
      )}
    </li>
  );
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
