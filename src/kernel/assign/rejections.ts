import { POOLS_TOLD_MAX, REASONS_IN_DETAIL_MAX } from "../../base/limits.ts";
import { ContentionError, Rejection, type RejectionCode } from "../../base/outcome.ts";
import { formatTime } from "../../base/time.ts";
import { formatCidr } from "../../net/cidr.ts";
import { type Application, nameOfApplication } from "../../nouns/application/application.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import { isShut, whyShut } from "../../selection/closed-by-reservations.ts";
import type { Unfit } from "../../selection/unfit.ts";
import { groupsScanned, isSeen } from "../blocks/scan-pool.ts";
import { groupCount } from "../values/block-group.ts";
import { type FreedByTime, freedAtMs, NOTHING_FREED, sumOfFreed } from "../values/freed-by-time.ts";
import { hostName } from "../values/host.ts";
import type { Nothing } from "./find-blocks.ts";
import type { FamilyRequest } from "./selection.ts";

/** A search that found too few addresses. */
interface Vain {
  readonly missing: number;
  readonly search: Nothing;
  /** The addresses that time alone frees in the host's own blocks, by the id of the pool. */
  readonly own: ReadonlyMap<string, FreedByTime>;
  readonly nowMs: number;
}

/**
 * Returns the rejection of a host without addresses. It is final only if everything was read or fresh hints tell of it, and if time alone
 * frees too little.
 *
 * @throws {ContentionError} if the search stopped at a bound before it read enough to reject
 */
export function noRoom(familyRequest: FamilyRequest, vain: Vain): Rejection {
  const { search, missing } = vain;
  if (search.scans.some(({ bounded }) => bounded)) throw outOfSight();
  if (search.refused && !areShut(familyRequest)) {
    const { code, detail, members } = overQuota(familyRequest, search.refused);
    const more = { missing: [missingOf(familyRequest, missing, code)], ...reachOf(search) };
    return new Rejection(code, detail, { ...members, ...more });
  }
  return search.capped && !areShut(familyRequest)
    ? atTheCap(familyRequest, vain)
    : exhausted(familyRequest, vain);
}

/** Returns what time alone frees in a pool, or in all. */
function freedOf({ own, search }: Vain, pool?: Pool): FreedByTime {
  const of = (freed: ReadonlyMap<string, FreedByTime>) =>
    pool ? [freed.get(pool.id) ?? NOTHING_FREED] : [...freed.values()];
  return sumOfFreed([...of(own), ...of(search.freed)]);
}

/**
 * Returns the members of a rejection that say what time alone changes: how many addresses cool, and when as many as are missing can be
 * assigned.
 */
export function timesOf(freed: FreedByTime, missing: number, nowMs: number) {
  const atMs = freedAtMs(freed, missing);
  return {
    ...(freed.cooling > 0 && { cooling: freed.cooling }),
    ...(freed.more && { retryable: true }),
    ...(atMs !== undefined && timeToRetry(atMs, nowMs)),
  };
}

/** Returns the members of a rejection of a request that can succeed from a time on. */
export const timeToRetry = (atMs: number, nowMs: number) => ({
  retryable: true,
  availableAt: formatTime(atMs),
  retryAfterSeconds: Math.max(1, Math.ceil((atMs - nowMs) / 1000)),
});

/** Returns a reason that says what time alone changes; nothing if it changes nothing. */
export const reasonOfTime = (
  { availableAt }: { readonly availableAt?: string },
  missing: number,
) =>
  availableAt === undefined
    ? []
    : [`${missing === 1 ? "one" : `${missing} of them`} can be assigned at ${availableAt}`];

export const outOfSight = () =>
  new ContentionError(
    "no free block in the block groups that were read; the next try reads others",
  );

/** Returns true if reservations cover every pool that may serve. Then no other reason matters. */
export const areShut = ({ pools, configuration }: FamilyRequest): boolean =>
  pools.every((pool) => isShut(pool, configuration));

/** Returns the reasons of a rejection: the pools that reservations cover, and the others unless they cover all. */
export function reasonsOf(
  familyRequest: FamilyRequest,
  others: readonly string[],
): readonly string[] {
  const { pools, configuration } = familyRequest;
  const shut = pools
    .filter((pool) => isShut(pool, configuration))
    .slice(0, REASONS_IN_DETAIL_MAX)
    .map((pool) => `${pool.name} ${whyShut(pool, configuration).reason}`);
  return areShut(familyRequest) ? shut : [...shut, ...others];
}

/** Describes what a search did not read; returns nothing if it read everything. */
export function unseenIn({ scans, poolsServing, poolsUnread }: Nothing): readonly string[] {
  return [
    ...(poolsUnread > 0 ? [`${scans.length} of ${poolsServing} pools were tried`] : []),
    ...(scans.every(isSeen) ? [] : ["only some of their block groups were looked at"]),
  ];
}

/** Returns the members of a rejection that say how far the search for a block came. */
export const reachOf = (search: Nothing) => ({
  poolsTried: search.scans.length,
  poolsServing: search.poolsServing,
  ...(unseenIn(search).length > 0 && { retryable: true }),
});

/** Adds to a rejection for want of room the pools that could not serve at all, each with its code. */
export function withLeftOut(
  rejection: Rejection,
  familyRequests: readonly FamilyRequest[],
): Rejection {
  const { code, detail, members } = rejection;
  const { pools = [], missing = [] } = members;
  if (code !== "pool_exhausted") return rejection;
  const others = familyRequests
    .filter((each) =>
      missing.some(({ family, interface: of }) => family === each.family && of === each.interface),
    )
    .flatMap(({ leftOut, interface: of }) =>
      (leftOut?.() ?? []).map(({ pool, cidr, code, reason }) => ({
        pool,
        cidr,
        code,
        reason,
        ...(of !== undefined && { interface: of }),
      })),
    );
  const all = [...pools, ...others].slice(0, POOLS_TOLD_MAX);
  return new Rejection(code, detail, { ...members, pools: all });
}

/** Returns the first pools as `web (10.1.0.0/28), db (10.2.0.0/28)`, and the number of the others. */
export function namesOf(pools: readonly Pool[]): string {
  const named = pools.slice(0, REASONS_IN_DETAIL_MAX);
  const more = pools.length - named.length;
  const texts = named.map(({ name, cidr }) => `${name} (${formatCidr(cidr)})`).join(", ");
  return more > 0 ? `${texts} and ${more} more pools` : texts;
}

/** Returns the rejection of a host that needs one more block than a quota allows. */
export const overQuota = (
  { host, family }: FamilyRequest,
  { code, detail, members }: Rejection,
): Rejection =>
  new Rejection(
    code,
    `Host ${hostName(host)} needs one more IPv${family} block. ${detail}`,
    members,
  );

function atTheCap(familyRequest: FamilyRequest, vain: Vain): Rejection {
  const { missing, search, nowMs } = vain;
  const { blocks } = search;
  const times = timesOf(freedOf(vain), missing, nowMs);
  const unseen = [...unseenIn(search), ...reasonOfTime(times, missing)];
  return new Rejection(
    "block_limit",
    `Host ${hostName(familyRequest.host)} has ${blocks} of at most ${familyRequest.blocksMax} IPv${familyRequest.family} blocks, with no room for ${missing} more${closing(
      unseen.length > 0 ? ["none was found to borrow from", ...unseen] : [],
    )}.`,
    {
      blocks,
      maxBlocksPerHost: familyRequest.blocksMax,
      missing: [missingOf(familyRequest, missing, "block_limit")],
      ...reachOf(search),
      ...times,
    },
  );
}

function exhausted(familyRequest: FamilyRequest, vain: Vain): Rejection {
  const { missing, search, nowMs } = vain;
  const { settings, unreadablePools } = familyRequest.configuration;
  const { strictAffinity, autoAllocateBlocks } = settings;
  const scanned = new Map(search.scans.map((scan) => [scan.pool.id, groupsScanned(scan)]));
  const tried = familyRequest.pools.filter(({ id }) => scanned.has(id));
  const untried = familyRequest.pools.filter(({ id }) => !scanned.has(id));
  const pools = [...tried, ...untried].slice(0, POOLS_TOLD_MAX).map((pool) => ({
    pool: pool.name,
    cidr: formatCidr(pool.cidr),
    groups: String(groupCount(pool)),
    groupsLooked: scanned.get(pool.id) ?? 0,
    ...whyPassed(pool, familyRequest, scanned.has(pool.id) && freedOf(vain, pool)),
  }));
  const times = timesOf(freedOf(vain), missing, nowMs);
  const why = reasonsOf(familyRequest, [
    ...unseenIn(search),
    ...reasonOfTime(times, missing),
    ...(unreadablePools.length > 0
      ? [`${unreadablePools.map(({ name }) => name).join(", ")} cannot be read by this version`]
      : []),
    ...(autoAllocateBlocks ? [] : ["automatic claims are off (autoAllocateBlocks)"]),
    ...(strictAffinity ? ["borrowing is off (strictAffinity)"] : []),
  ]);
  return new Rejection(
    "pool_exhausted",
    `There is no room for ${missing} more IPv${familyRequest.family} ${missing === 1 ? "address" : "addresses"} of host ${hostName(familyRequest.host)} in ${namesOf(familyRequest.pools)}${closing(why)}.`,
    {
      missing: [missingOf(familyRequest, missing, "pool_exhausted")],
      pools,
      ...reachOf(search),
      ...times,
    },
  );
}

/** Returns why a pool was passed over, and what cools in it; nothing for one that was not tried. */
function whyPassed(
  pool: Pool,
  { configuration }: FamilyRequest,
  freed: FreedByTime | false,
): (Unfit & { readonly cooling?: number; readonly availableAt?: string }) | undefined {
  if (isShut(pool, configuration)) return whyShut(pool, configuration);
  if (!freed) return undefined;
  const { cooling } = freed;
  const atMs = freedAtMs(freed, 1);
  return {
    code: cooling > 0 ? "cooling" : "full",
    reason: `has no room that the host can use${cooling > 0 ? ", and addresses that cool" : ""}`,
    ...(cooling > 0 && { cooling }),
    ...(atMs !== undefined && { availableAt: formatTime(atMs) }),
  };
}

/** Returns the rejection of a request after every group of a ranged pool was seen without room. */
export function noRoomInSet(
  familyRequest: FamilyRequest,
  pool: Pool,
  {
    missing,
    groupsLooked,
    freed,
    nowMs,
  }: {
    readonly missing: number;
    readonly groupsLooked: number;
    readonly freed: FreedByTime;
    readonly nowMs: number;
  },
): Rejection {
  const { configuration, family } = familyRequest;
  const times = timesOf(freed, missing, nowMs);
  const why = isShut(pool, configuration)
    ? [`${pool.name} ${whyShut(pool, configuration).reason}`]
    : reasonOfTime(times, missing);
  return new Rejection(
    "pool_exhausted",
    `There is no room for ${missing} more IPv${family} ${missing === 1 ? "address" : "addresses"} in ${namesOf([pool])}${closing(why)}.`,
    {
      missing: [missingOf(familyRequest, missing, "pool_exhausted")],
      pools: [
        {
          pool: pool.name,
          cidr: formatCidr(pool.cidr),
          groups: String(groupsLooked),
          groupsLooked,
          ...whyPassed(pool, familyRequest, freed),
        },
      ],
      poolsTried: 1,
      poolsServing: 1,
      ...times,
    },
  );
}

/** Returns the rejection of an instance whose application has no free address for it. */
export function noneHeld(
  familyRequest: FamilyRequest,
  application: Application,
  { missing, reserved }: { readonly missing: number; readonly reserved: number },
): Rejection {
  const { family, pools } = familyRequest;
  const name = nameOfApplication(application);
  const closed = `, with ${reserved} reserved`;
  return new Rejection(
    "pool_exhausted",
    `Application ${name} holds no free IPv${family} address for ${missing} more${reserved > 0 ? closed : ""}; a PUT of it with a larger number adds some.`,
    {
      rule: "application",
      missing: [missingOf(familyRequest, missing, "pool_exhausted")],
      pools: pools.slice(0, POOLS_TOLD_MAX).map((pool) => ({
        pool: pool.name,
        cidr: formatCidr(pool.cidr),
        code: "full",
        reason: `has no free address that application ${name} holds`,
      })),
    },
  );
}

const closing = (reasons: readonly string[]): string =>
  reasons.length > 0 ? `; ${reasons.join("; ")}` : "";

const missingOf = ({ family }: FamilyRequest, count: number, code: RejectionCode) => ({
  family,
  count,
  code,
});
