import { useState } from "preact/hooks";
import type { Pool, PoolHistory } from "../api/types.ts";
import { useAlarms } from "../api/use-alarms.tsx";
import { Moment } from "../parts/moment.tsx";
import { Spark } from "../parts/spark.tsx";
import { State } from "../parts/state.tsx";
import { Named } from "../parts/to.tsx";
import { number, UsageBar, UsageBarToCome } from "../parts/usage-bar.tsx";
import { type PoolCounts, type PoolNode, rolledUp } from "./pool-tree.ts";

/** All that is known of the use of pools. */
export interface PoolsUsed {
  /** The counts of now, by the name of the pool. */
  readonly usage: ReadonlyMap<string, PoolCounts>;
  /** True while pools are counted. */
  readonly isCounting: boolean;
  /** The past of each pool, where a space has few. */
  readonly past: ReadonlyMap<string, PoolHistory>;
}

interface PoolProps {
  readonly node: PoolNode;
  readonly used: PoolsUsed;
}

/** A pool with its use, and below it the pools that are made of its prefixes. */
export function PoolCard({ node, used }: PoolProps) {
  const isTree = node.children.length > 0;
  return (
    <li class={isTree ? "card tree" : "card"}>
      <h3>
        <Title pool={node.pool} />
      </h3>
      <Use pool={node.pool} used={used} legend />
      <Forecast pool={node.pool} used={used} />
      {isTree && <PoolsBelow node={node} used={used} />}
    </li>
  );
}

function Title({ pool: { name, cidr, state, disabled } }: { readonly pool: Pool }) {
  return (
    <>
      <Named kind="pool" name={name} />
      <span class="soft"> {cidr}</span>
      {state && <State state={state} />}
      {disabled && !state && <State state="disabled" />}
    </>
  );
}

function Use(props: { readonly pool: Pool; readonly used: PoolsUsed; readonly legend?: boolean }) {
  const { pool, used, legend = false } = props;
  const counts = used.usage.get(pool.name);
  const history = used.past.get(pool.name);
  if (!counts && used.isCounting)
    return (
      <>
        <p class="numbers">Counting…</p>
        <UsageBarToCome legend={legend} />
      </>
    );
  if (!counts) return <p class="soft">Not counted here. Open the pool to count it.</p>;
  return (
    <>
      <p class="numbers">
        <span>
          <b>{number(counts.inUse)}</b> of {number(counts.capacity)} {pool.assign} in use
        </span>
        {history && <Growth history={history} />}
      </p>
      <UsageBar usage={counts} legend={legend} />
    </>
  );
}

function Forecast({ pool: { name }, used }: { readonly pool: Pool; readonly used: PoolsUsed }) {
  const alarms = useAlarms()?.value?.alarms ?? [];
  const history = used.past.get(name);
  const exhaustedAt =
    history?.exhaustedAt ??
    alarms.find((alarm) => alarm.pool === name && alarm.exhaustedAt)?.exhaustedAt;
  return (
    <>
      {history && <Spark samples={history.samples} />}
      {exhaustedAt && (
        <p class="forecast">
          At this rate the pool is full on <Moment at={exhaustedAt} />.
        </p>
      )}
    </>
  );
}

const CHILDREN_FIRST = 20;

/** The pools that are made of the prefixes of a pool, with the use of all that is below it. */
export function PoolsBelow({ node, used }: PoolProps) {
  const { pool, children } = node;
  const [count, setCount] = useState(CHILDREN_FIRST);
  const { pools, counted, addresses } = rolledUp(node, used.usage);
  return (
    <details open>
      <summary>
        {pools === 1 ? "1 pool" : `${number(pools)} pools`} below {pool.name}
        {counted > 0 && (
          <>
            : <b>{number(addresses.inUse)}</b> of {number(addresses.capacity)} addresses in use
            {counted < pools && `, in the ${number(counted)} pools that are counted`}
          </>
        )}
      </summary>
      {counted > 0 && <UsageBar usage={addresses} legend />}
      <ul aria-label={`Pools made of prefixes of ${pool.name}`}>
        {children.slice(0, count).map((child) => (
          <li key={child.pool.name}>
            <p class="branch">
              <Title pool={child.pool} />
            </p>
            <Use pool={child.pool} used={used} />
            {child.children.length > 0 && <PoolsBelow node={child} used={used} />}
          </li>
        ))}
      </ul>
      {children.length > count && (
        <button type="button" onClick={() => setCount(count + CHILDREN_FIRST)}>
          Show more of the {number(children.length)}
        </button>
      )}
    </details>
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
