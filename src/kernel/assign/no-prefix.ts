import { POOLS_TOLD_MAX, REASONS_IN_DETAIL_MAX } from "../../base/limits.ts";
import { Rejection } from "../../base/outcome.ts";
import { formatTime } from "../../base/time.ts";
import { BITS } from "../../net/address.ts";
import { type AddressSet, countOf, subtract } from "../../net/address-set.ts";
import { formatCidr, type Interval, intervalOf, merged, overlaps } from "../../net/cidr.ts";
import type { StatedRanges } from "../../nouns/node/stated-ranges.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import { reservedFor } from "../../nouns/pool/set.ts";
import { isShut, whyShut } from "../../selection/closed-by-reservations.ts";
import type { Unfit } from "../../selection/unfit.ts";
import { isSeen, type PoolScan } from "../blocks/scan-pool.ts";
import { walkPool } from "../blocks/walk-pool.ts";
import { type PageBudget, pageBudget } from "../core/bounded-work.ts";
import { slotRules } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { coolingTimesMs, type SlotRules, takenIn } from "../values/block.ts";
import { sumOfFreed } from "../values/freed-by-time.ts";
import { hostName, machineName } from "../values/host.ts";
import { namesOf, reasonsOf, timesOf } from "./rejections.ts";
import type { FamilyRequest } from "./selection.ts";

/** Nodes that a rejection names for one pool. */
const NODES_NAMED_MAX = 8;

/** A search that found no free prefix. */
interface Vain {
  readonly scans: readonly PoolScan[];
  /** The pools that are not withheld as a whole. */
  readonly open: readonly Pool[];
  /** The networks that nodes state. */
  readonly stated: readonly StatedRanges[];
  /** The reservations, and these networks. */
  readonly reserved: readonly Interval[];
}

/**
 * Returns the rejection of a request for which no prefix is free, with the use of each pool. It counts a pool as long as a request has
 * time; a pool that is larger has no counts in it.
 */
export async function noPrefix(
  context: Context,
  familyRequest: FamilyRequest,
  { scans, open, stated, reserved }: Vain,
): Promise<Rejection> {
  const { host, family, pools, configuration } = familyRequest;
  const budget = pageBudget(context);
  const shown = pools.slice(0, POOLS_TOLD_MAX);
  const uses = new Map<string, PoolUse | undefined>();
  // The smallest first, so that a large pool, for which there is no time, keeps no other from being counted.
  for (const pool of shown.toSorted((a, b) => prefixesIn(a) - prefixesIn(b))) {
    const rules = slotRules(context, { ...configuration, reserved }, pool);
    uses.set(pool.id, await useOf(context, pool, rules, budget));
  }
  const found = shown.map((pool): PoolFound => {
    const use = uses.get(pool.id);
    const scan = scans.find((each) => each.pool.id === pool.id);
    return {
      pool,
      use,
      times: use?.times ?? sumOfFreed([...(scan?.freed.values() ?? [])]).atMs,
      byNodes: withheldByNodes(pool, stated, use),
    };
  });
  const told = found.map((each) => {
    const { pool, use, times } = each;
    const [first] = times.toSorted((a, b) => a - b);
    const why = isShut(pool, configuration)
      ? whyShut(pool, configuration)
      : whyNone(each, { isOpen: open.includes(pool) });
    return {
      pool: pool.name,
      cidr: formatCidr(pool.cidr),
      ...why,
      prefixes: prefixesIn(pool),
      ...(use && { inUse: use.inUse, cooling: times.length, withheld: use.withheld }),
      ...(first !== undefined && { availableAt: formatTime(first) }),
    };
  });
  const isWhole = scans.length === open.length && scans.every(isSeen);
  const why = reasonsOf(familyRequest, [
    ...found.flatMap(reasonOfNodes).slice(0, REASONS_IN_DETAIL_MAX),
    ...(isWhole ? [] : ["only some block groups were looked at"]),
  ]);
  const times = found.flatMap((each) => each.times);
  return new Rejection(
    "pool_exhausted",
    `There is no free IPv${family} prefix for ${machineName(host) === undefined ? "handle" : "node"} ${hostName(host)} in ${namesOf(pools)}${why.length > 0 ? `; ${why.join("; ")}` : ""}.`,
    {
      missing: [{ family, count: 1, code: "pool_exhausted" }],
      pools: told,
      ...(!isWhole && { retryable: true }),
      ...timesOf({ atMs: times, cooling: times.length, more: false }, 1, context.now()),
    },
  );
}

/** A pool without a free prefix, as far as it was counted. */
interface PoolFound {
  readonly pool: Pool;
  /** Absent if there was no time for the whole pool. */
  readonly use: PoolUse | undefined;
  /** The times at which prefixes that cool can be assigned, in milliseconds since the epoch. */
  readonly times: readonly number[];
  readonly byNodes: WithheldByNodes | undefined;
}

/** The prefixes that are withheld for networks that nodes state. */
interface WithheldByNodes {
  readonly count: number;
  /** Some of the nodes, and the number of the others. */
  readonly names: string;
}

/** Returns what nodes withhold of a pool that was counted; nothing if they withhold nothing. */
function withheldByNodes(
  pool: Pool,
  stated: readonly StatedRanges[],
  use: PoolUse | undefined,
): WithheldByNodes | undefined {
  const whole = intervalOf(pool.cidr);
  const inPool = stated
    .map(({ node, cidrs }) => ({ node, runs: cidrs.map(intervalOf) }))
    .filter(({ runs }) => runs.some((run) => overlaps(run, whole)));
  if (!use || inPool.length === 0) return undefined;
  const touched = reservedFor(pool, { reserved: merged(inPool.flatMap(({ runs }) => runs)) });
  const left = subtract(touched, use.taken);
  const isLeft = (run: Interval) => left.some((each) => overlaps(each, run));
  const nodes = inPool.filter(({ runs }) => runs.some(isLeft)).map(({ node }) => node);
  const names = [...new Set(nodes)];
  if (names.length === 0) return undefined;
  const more = names.length - NODES_NAMED_MAX;
  const first = names.slice(0, NODES_NAMED_MAX).join(", ");
  return {
    count: prefixesOf(pool, left),
    names: more > 0 ? `${first} and ${more} more` : first,
  };
}

const FOR_NODES = "withheld for networks that nodes state";

/** Returns why a pool has no free prefix. Its own reservations do not cover it. */
function whyNone({ times, byNodes }: PoolFound, { isOpen }: { readonly isOpen: boolean }): Unfit {
  const others = [
    ...(times.length > 0 ? ["prefixes that cool"] : []),
    ...(byNodes ? [`${byNodes.count} ${FOR_NODES} (${byNodes.names})`] : []),
  ];
  return {
    code: times.length > 0 ? "cooling" : isOpen ? "full" : "reserved",
    reason: ["has no free prefix", ...others].join(", and "),
  };
}

const reasonOfNodes = ({ pool, byNodes }: PoolFound): readonly string[] => {
  if (!byNodes) return [];
  const { count, names } = byNodes;
  const counted = count === 1 ? "1 prefix" : `${count} prefixes`;
  return [`${counted} of ${pool.name} ${count === 1 ? "is" : "are"} ${FOR_NODES} (${names})`];
};

/** The number of prefixes of a pool: a power of two, which a number has exactly. */
const prefixesIn = ({ blockSize, cidr }: Pool): number => 2 ** (blockSize - cidr.prefix);

/** Returns the number of prefixes of a pool in runs that consist of prefixes. */
const prefixesOf = ({ blockSize, cidr: { family } }: Pool, runs: AddressSet): number =>
  Number(countOf(runs) >> BigInt(BITS[family] - blockSize));

interface PoolUse {
  readonly inUse: number;
  /** The times at which those that cool can be assigned, in milliseconds since the epoch. */
  readonly times: readonly number[];
  /** The number of those that reservations or networks of nodes touch, and that nobody has. */
  readonly withheld: number;
  /** The addresses of those in use. */
  readonly taken: AddressSet;
}

/** Counts the prefixes of a pool. Returns nothing if there is no time for the whole pool. */
async function useOf(
  context: Context,
  pool: Pool,
  rules: SlotRules,
  budget: PageBudget,
): Promise<PoolUse | undefined> {
  let inUse = 0;
  const times: number[] = [];
  const runs: Interval[] = [];
  for await (const { blocks } of walkPool(context, pool, undefined)) {
    if (budget.isSpent) return undefined;
    budget.look();
    for (const block of blocks) {
      const count = takenIn(block);
      inUse += count;
      if (count > 0) runs.push(intervalOf(block.cidr));
      times.push(...coolingTimesMs(block, rules));
    }
  }
  const taken = merged(runs);
  return { inUse, times, withheld: prefixesOf(pool, subtract(rules.reserved, taken)), taken };
}
