import { PAGE_MS_MAX, PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import type { CorruptItemError, Rejection } from "../../../base/outcome.ts";
import { poolCounter } from "../../../kernel/blocks/pool-counter.ts";
import { groupsAfter, mayBeOf, touches } from "../../../kernel/blocks/walk-pool.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import type { HostId } from "../../../kernel/values/host.ts";
import type { Address } from "../../../net/address.ts";
import { type Cidr, intervalOf, overlaps } from "../../../net/cidr.ts";
import { poolNamed } from "../../pool/configuration.ts";
import { isRanged, type Pool, subnetIdOf } from "../../pool/pool.ts";
import { addressSetOf } from "../../pool/set.ts";
import type { Usage } from "../usage.ts";

/** Ranges of a map that a caller can read side by side: about as many as a browser has connections to one server. */
const MAP_RANGES_MAX = 8;

/** The block groups that are still to be read: those after an address, up to the one that ends at another. */
export interface MapPosition {
  readonly after: Address;
  /** Absent: up to the end of the pool. */
  readonly last?: Address | undefined;
}

export interface PoolMapWanted {
  readonly space: string;
  readonly name: string;
  /** Shows only blocks in this network. */
  readonly cidr?: Cidr | undefined;
  /** The maximum number of block groups on a page. */
  readonly limit: number;
  readonly position?: MapPosition | undefined;
}

/** A page of the map of a pool. */
export interface PoolMap {
  readonly pool: Pool;
  /** The time before the first read of this page. */
  readonly readAtMs: number;
  /** In order of address. A group without a block of the pool is left out. */
  readonly groups: readonly GroupOnMap[];
  readonly unreadable: readonly CorruptItemError[];
  readonly next?: MapPosition | undefined;
  /** On a first page that is not the last: the same rest in ranges, each with about as many groups. */
  readonly ranges?: readonly MapPosition[] | undefined;
}

export interface GroupOnMap {
  readonly cidr: Cidr;
  readonly blocks: readonly BlockOnMap[];
}

/** A block, and the addresses of the pool in it. */
export interface BlockOnMap {
  readonly cidr: Cidr;
  readonly host: HostId | undefined;
  readonly usage: Usage;
}

/**
 * Returns a page of the map of a pool: the host and the counts of each block, eventually consistent. It reads some block groups of the
 * index side by side, so the pages of a map are few, and its ranges can be read side by side too.
 */
export async function poolMap(
  context: Context,
  { space, name, cidr, limit, position }: PoolMapWanted,
): Promise<PoolMap | Rejection> {
  const { store } = context;
  const readAtMs = context.now();
  const configuration = await store.readSpace(space);
  const pool = poolNamed(configuration, name);
  if (!pool) return notFound(space, "pool", name);
  const within = cidr && intervalOf(cidr);
  const set = isRanged(pool) ? addressSetOf(pool) : undefined;
  const isWanted = (network: Cidr) =>
    (!within || overlaps(intervalOf(network), within)) && (!set || touches(set, network));
  const index = await store.readBlockGroupIndex(space, subnetIdOf(pool), { consistent: false });
  const left = groupsAfter(pool, index.groups, position?.after, isWanted).filter(
    (group) => !position?.last || intervalOf(group).last <= position.last.value,
  );
  const counter = poolCounter(context, configuration, pool);
  const unreadable: CorruptItemError[] = [];
  const readGroup = async (group: Cidr): Promise<GroupOnMap> => {
    const blocks = await store.mapGroup(space, group);
    const shown = blocks.filter((block) => mayBeOf(pool, block) && isWanted(block.cidr));
    unreadable.push(...shown.flatMap((block) => block.unreadable ?? []));
    return {
      cidr: group,
      blocks: shown
        .flatMap((block) => {
          const counted = counter.inBlock(block);
          return counted ? [{ cidr: block.cidr, host: block.host, usage: counted.usage }] : [];
        })
        .sort((a, b) => (a.cidr.base < b.cidr.base ? -1 : 1)),
    };
  };
  const groups: GroupOnMap[] = [];
  let done = 0;
  while (done < Math.min(limit, left.length)) {
    if (done > 0 && context.now() - readAtMs > PAGE_MS_MAX) break;
    const some = left.slice(done, Math.min(done + PAGE_READS_AT_ONCE, limit));
    groups.push(...(await inParallel(some, PAGE_READS_AT_ONCE, readGroup)));
    done += some.length;
  }
  const rest = left.slice(done);
  const next =
    rest.length > 0 ? { after: lastOf(left[done - 1] as Cidr), last: position?.last } : undefined;
  return {
    pool,
    readAtMs,
    groups: groups.filter(({ blocks }) => blocks.length > 0),
    unreadable,
    next,
    ...(next && !position && { ranges: rangesOf(rest, next.after) }),
  };
}

/** Divides the groups after an address into ranges. */
function rangesOf(groups: readonly Cidr[], after: Address): readonly MapPosition[] {
  const size = Math.ceil(groups.length / MAP_RANGES_MAX);
  const ends = groups.filter((_, i) => (i + 1) % size === 0 || i === groups.length - 1).map(lastOf);
  return ends.map((last, i) => ({ after: ends[i - 1] ?? after, last }));
}

function lastOf(group: Cidr): Address {
  const { family, last } = intervalOf(group);
  return { family, value: last };
}
