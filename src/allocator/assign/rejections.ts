import { cellCount } from "../../domain/block-group.ts";
import { formatCidr } from "../../domain/cidr.ts";
import { isShut, whyShut } from "../../domain/closed-by-reservations.ts";
import { hostName } from "../../domain/host.ts";
import { POOLS_TOLD_MAX, REASONS_IN_DETAIL_MAX } from "../../domain/limits.ts";
import { Contended, Refusal, type RefusalCode } from "../../domain/outcome.ts";
import type { Pool } from "../../domain/pool.ts";
import { cellsLookedAt, isSeen } from "../blocks/scan-pool.ts";
import type { Nothing } from "./find-blocks.ts";
import type { Wish } from "./selection.ts";

/** Why a host gets no addresses. It is final only where everything was seen: what a bounded search passed over may have room. */
export function noRoom(wish: Wish, missing: number, search: Nothing): Refusal | Contended {
  if (search.views.some(({ bounded }) => bounded)) return outOfSight();
  return search.capped && !areShut(wish)
    ? atTheCap(wish, missing, search)
    : exhausted(wish, missing, search);
}

export const outOfSight = () =>
  new Contended("no free block in the cells looked at; the next try looks at others");

/** Is there no pool that may serve but those of which every address is reserved? Then nothing else would help. */
export const areShut = ({ pools, configuration }: Wish): boolean =>
  pools.every((pool) => isShut(pool, configuration));

/** The reasons of a refusal: the pools that reservations shut, and the others, unless those shut all. */
export function reasonsOf(wish: Wish, others: readonly string[]): readonly string[] {
  const { pools, configuration } = wish;
  const shut = pools
    .filter((pool) => isShut(pool, configuration))
    .slice(0, REASONS_IN_DETAIL_MAX)
    .map((pool) => `${pool.name} ${whyShut(pool, configuration).detail}`);
  return areShut(wish) ? shut : [...shut, ...others];
}

/** What a search did not see, in words; nothing where it saw everything. */
export function unseenIn({ views, poolsServing }: Nothing): readonly string[] {
  return [
    ...(views.length < poolsServing ? [`${views.length} of ${poolsServing} pools were tried`] : []),
    ...(views.every(isSeen) ? [] : ["only some of their cells were looked at"]),
  ];
}

/** The members of a refusal that tell how far the search for a block came. */
export const reachOf = (search: Nothing) => ({
  poolsTried: search.views.length,
  poolsServing: search.poolsServing,
  ...(unseenIn(search).length > 0 && { retryable: true }),
});

/** `web (10.1.0.0/28), db (10.2.0.0/28)`, and how many more. */
export function namesOf(pools: readonly Pool[]): string {
  const named = pools.slice(0, REASONS_IN_DETAIL_MAX);
  const more = pools.length - named.length;
  const texts = named.map(({ name, cidr }) => `${name} (${formatCidr(cidr)})`).join(", ");
  return more > 0 ? `${texts} and ${more} more pools` : texts;
}

function atTheCap(wish: Wish, missing: number, search: Nothing): Refusal {
  const { blocks } = search;
  const unseen = unseenIn(search);
  return new Refusal(
    "block_limit",
    `Host ${hostName(wish.host)} has ${blocks} IPv${wish.family} blocks with no room for ${missing} more, and may have ${wish.blocksMax}${ending(
      unseen.length > 0 ? ["none was found to borrow from", ...unseen] : [],
    )}.`,
    {
      blocks,
      maxBlocksPerHost: wish.blocksMax,
      missing: [missingOf(wish, missing, "block_limit")],
      ...reachOf(search),
    },
  );
}

function exhausted(wish: Wish, missing: number, search: Nothing): Refusal {
  const { settings, unreadablePools } = wish.configuration;
  const { strictAffinity, autoAllocateBlocks } = settings;
  const looked = new Map(search.views.map((view) => [view.pool.id, cellsLookedAt(view)]));
  const tried = wish.pools.filter(({ id }) => looked.has(id));
  const untried = wish.pools.filter(({ id }) => !looked.has(id));
  const pools = [...tried, ...untried].slice(0, POOLS_TOLD_MAX).map((pool) => ({
    pool: pool.name,
    cidr: formatCidr(pool.cidr),
    cells: String(cellCount(pool)),
    cellsLooked: looked.get(pool.id) ?? 0,
    ...(isShut(pool, wish.configuration) && whyShut(pool, wish.configuration)),
  }));
  const why = reasonsOf(wish, [
    ...unseenIn(search),
    ...(unreadablePools.length > 0
      ? [`${unreadablePools.map(({ name }) => name).join(", ")} cannot be read by this version`]
      : []),
    ...(autoAllocateBlocks ? [] : ["blocks are not claimed by themselves (autoAllocateBlocks)"]),
    ...(strictAffinity ? ["borrowing is off (strictAffinity)"] : []),
  ]);
  return new Refusal(
    "pool_exhausted",
    `There is no room for ${missing} more IPv${wish.family} addresses of host ${hostName(wish.host)} in ${namesOf(wish.pools)}${ending(why)}.`,
    { missing: [missingOf(wish, missing, "pool_exhausted")], pools, ...reachOf(search) },
  );
}

const ending = (reasons: readonly string[]): string =>
  reasons.length > 0 ? `; ${reasons.join("; ")}` : "";

const missingOf = ({ family }: Wish, count: number, code: RefusalCode) => ({ family, count, code });
