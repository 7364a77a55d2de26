import { useMemo, useState } from "preact/hooks";
import { Acting } from "../acts/acting.tsx";
import { createPool } from "../acts/pools.tsx";
import { type Api, segment } from "../api/api.ts";
import type { PoolHistory } from "../api/types.ts";
import { useAlarms } from "../api/use-alarms.tsx";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { Head } from "../parts/head.tsx";
import { Sentence } from "../parts/moment.tsx";
import { Shown } from "../parts/shown.tsx";
import { To } from "../parts/to.tsx";
import { Unreadable } from "../parts/unreadable.tsx";
import { useNavigation } from "../state/navigation.tsx";
import { PoolCard, type PoolsUsed } from "./pool-card.tsx";
import { type PoolCounts, treeOf } from "./pool-tree.ts";
import { countPools, type PoolsListed, readPools } from "./read-pools.ts";

interface Overview extends PoolsListed, PoolsUsed {}

/** The pools of the space by containment, with their use, and the first alarm. */
export function OverviewPage() {
  const api = useApi();
  const { space } = useNavigation().place;
  const [pages, setPages] = useState(1);
  const loaded = useLoad<Overview>({ key: space }, (signal, show) =>
    readOverview(api, pages, signal, show),
  );
  return (
    <>
      <Head title="Overview" loaded={loaded} />
      <Shown loaded={loaded} what="the pools">
        {(overview) => (
          <>
            <Alarmed />
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
          </>
        )}
      </Shown>
    </>
  );
}

/** The first alarm, or that there is none: always one line, so that the pools stay where they are. */
function Alarmed() {
  const alarms = useAlarms()?.value?.alarms;
  const [first] = alarms ?? [];
  if (!alarms || !first)
    return <p class="alarmed soft">{alarms ? "No threshold is crossed." : "\u00a0"}</p>;
  return (
    <p class="alarmed" title={first.detail}>
      <To page={{ kind: "alarms" }}>
        {alarms.length === 1 ? "1 alarm" : `${alarms.length} alarms`}
      </To>
      : <Sentence text={first.detail} />
    </p>
  );
}

/** The past of a pool is a request of its own, so that only a space of few pools shows it here. */
const PAST_POOLS_MAX = 4;

/** Reads the overview in ten requests at most, and shows what it has meanwhile. Each further page of pools is one more. */
async function readOverview(
  api: Api,
  pages: number,
  signal: AbortSignal,
  show: (part: Overview) => void,
): Promise<Overview> {
  const listed = await readPools(api, pages, signal);
  const few = listed.pools.length <= PAST_POOLS_MAX ? listed.pools : [];
  const usage = new Map<string, PoolCounts>();
  const past = new Map<string, PoolHistory>();
  const shown = { ...listed, usage, past };
  show({ ...shown, isCounting: true });
  const reading = few.map(async ({ name }) => {
    past.set(name, await api.get<PoolHistory>(`pools/${segment(name)}/history`, {}, signal));
  });
  await countPools(api, usage, signal, () => show({ ...shown, isCounting: true }));
  await Promise.all(reading);
  return { ...shown, isCounting: false };
}

const POOLS_FIRST = 50;

function Pools({ overview }: { readonly overview: Overview }) {
  const { pools, isPart } = overview;
  const tops = useMemo(() => treeOf(pools), [pools]);
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
        {tops.slice(0, count).map((node) => (
          <PoolCard key={node.pool.name} node={node} used={overview} />
        ))}
      </ul>
      {tops.length > count && (
        <button type="button" onClick={() => setCount(count + POOLS_FIRST)}>
          Show more of the {tops.length}
        </button>
      )}
    </>
  );
}
