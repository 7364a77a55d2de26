import { useRef, useState } from "preact/hooks";
import type { Api } from "../api/api.ts";
import { NotSignedIn, type Rejection, rejectionOf } from "../api/rejection.ts";
import type { Answer, UnreadableItem } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { type Count, shareUsed } from "../map/tiles.ts";
import { Head } from "../parts/head.tsx";
import { AsOf } from "../parts/live.tsx";
import { clock } from "../parts/moment.tsx";
import { Shown } from "../parts/shown.tsx";
import { Table } from "../parts/table.tsx";
import { Unreadable } from "../parts/unreadable.tsx";
import { number, UsageBar } from "../parts/usage-bar.tsx";
import { useNavigation } from "../state/navigation.tsx";
import { hrefOf } from "../state/place.ts";
import { addressesOf } from "./pool-tree.ts";

/** A count of a space takes a request of its own, so that more than these are counted on request only. */
const SPACES_COUNTED_MAX = 20;
const COUNTS_AT_ONCE = 4;

interface SpaceUse {
  readonly at: Date;
  readonly pools: number;
  /** True if one request did not get through all pools. */
  readonly isPart: boolean;
  readonly addresses: Count;
}

type Counts = ReadonlyMap<string, SpaceUse | Rejection>;

interface Spaces {
  readonly names: readonly string[];
  readonly unreadable: readonly UnreadableItem[];
  readonly counts: Counts;
}

/** The spaces that have pools, to choose from, with the use of the first ones. */
export function SpacesPage() {
  const api = useApi();
  const [max, setMax] = useState(SPACES_COUNTED_MAX);
  const kept = useRef<Counts>(new Map());
  const loaded = useLoad<Spaces>({ key: "", isOnce: true }, async (signal, show) => {
    const { items: names, unreadable } = await api.spaces(signal);
    const counts = new Map(kept.current);
    const tell = () => show({ names, unreadable, counts });
    tell();
    await countSpaces(api, names.slice(0, max), counts, signal, tell);
    kept.current = counts;
    return { names, unreadable, counts };
  });
  return (
    <>
      <Head title="Spaces">
        <div class="live">
          <AsOf at={loaded.at} />
          <button
            type="button"
            onClick={() => {
              kept.current = new Map();
              loaded.reload();
            }}
          >
            Reload
          </button>
        </div>
      </Head>
      <SpaceByName />
      <Shown loaded={loaded} what="the spaces">
        {({ names, unreadable, counts }) => (
          <>
            <Unreadable items={unreadable} />
            <SpaceTable names={names} counts={counts} />
            {names.length > max && loaded.at && (
              <button
                type="button"
                onClick={() => {
                  setMax(max + SPACES_COUNTED_MAX);
                  loaded.reload();
                }}
              >
                Count {Math.min(SPACES_COUNTED_MAX, names.length - max)} more spaces
              </button>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

/** Opens a space by its name, for who may not list all spaces. */
export function SpaceByName(props: { opened?(): void }) {
  const { enter } = useNavigation();
  const [name, setName] = useState("");
  return (
    <form
      class="space"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === "") return;
        enter(name.trim());
        props.opened?.();
      }}
    >
      <label>
        Open a space by its name
        <input
          value={name}
          autoComplete="off"
          spellcheck={false}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Open</button>
    </form>
  );
}

function SpaceTable({ names, counts }: Pick<Spaces, "names" | "counts">) {
  const { space } = useNavigation().place;
  const useOf = (name: string): SpaceUse | undefined => {
    const counted = counts.get(name);
    return counted && "pools" in counted ? counted : undefined;
  };
  const countColumn = (title: string, count: (use: SpaceUse) => number, suffix = "") => ({
    title,
    value: (name: string) => {
      const use = useOf(name);
      return use && count(use);
    },
    show: (name: string) => {
      const use = useOf(name);
      return use && `${number(count(use))}${use.isPart ? suffix : ""}`;
    },
    isCount: true,
  });
  return (
    <Table
      label="Spaces"
      none="No space has pools."
      rows={names}
      keyOf={(name) => name}
      columns={[
        {
          title: "Space",
          value: (name) => name,
          show: (name) => (
            <a
              class="name"
              href={hrefOf({ space: name, page: { kind: "overview" } })}
              aria-current={name === space ? "true" : undefined}
            >
              {name}
            </a>
          ),
        },
        countColumn("Pools", ({ pools }) => pools, " or more"),
        {
          title: "Use",
          value: (name) => {
            const use = useOf(name);
            return use && shareUsed(use.addresses);
          },
          show: (name) => {
            const use = useOf(name);
            return use && <UsageBar usage={use.addresses} />;
          },
        },
        countColumn("In use", ({ addresses }) => addresses.inUse),
        countColumn("Free", ({ addresses }) => addresses.available),
        countColumn("Addresses in all", ({ addresses }) => addresses.capacity),
        {
          title: "Counted",
          value: (name) => useOf(name)?.at.toISOString(),
          show: (name) => {
            const counted = counts.get(name);
            if (!counted) return "not yet";
            return "pools" in counted ? clock(counted.at) : counted.message;
          },
        },
      ]}
    />
  );
}

/** Adds the counts of spaces that have none, some at once, each with one request. */
async function countSpaces(
  api: Api,
  names: readonly string[],
  counts: Map<string, SpaceUse | Rejection>,
  signal: AbortSignal,
  each: () => void,
): Promise<void> {
  const left = names.filter((name) => !counts.has(name));
  const countNext = async (): Promise<void> => {
    const name = left.shift();
    if (name === undefined) return;
    counts.set(
      name,
      await countSpace(api, name, signal).catch((error) => {
        if (signal.aborted || error instanceof NotSignedIn) throw error;
        return rejectionOf(error);
      }),
    );
    each();
    return countNext();
  };
  await Promise.all(Array.from({ length: COUNTS_AT_ONCE }, countNext));
}

async function countSpace(api: Api, name: string, signal: AbortSignal): Promise<SpaceUse> {
  const { pools, complete } = await api
    .inSpace(name)
    .get<Answer<"spaceUtilizationRead">>("utilization", {}, signal);
  return {
    at: new Date(),
    pools: pools.length,
    isPart: !complete,
    addresses: addressesOf(pools),
  };
}
