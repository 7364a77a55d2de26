import { type Application, nameOfApplication } from "../../domain/application.ts";
import { groupCount } from "../../domain/block-group.ts";
import { formatCidr } from "../../domain/cidr.ts";
import { isShut, whyShut } from "../../domain/closed-by-reservations.ts";
import { hostName } from "../../domain/host.ts";
import { POOLS_TOLD_MAX, REASONS_IN_DETAIL_MAX } from "../../domain/limits.ts";
import { ContentionError, Rejection, type RejectionCode } from "../../domain/outcome.ts";
import type { Pool } from "../../domain/pool.ts";
import type { Unfit } from "../../domain/unfit.ts";
import { groupsScanned, isSeen } from "../blocks/scan-pool.ts";
import type { Nothing } from "./find-blocks.ts";
import type { FamilyRequest } from "./selection.ts";

/**
 * Returns the rejection of a host without addresses. It is final only if everything was read: unread blocks can have room.
 *
 * @throws {ContentionError} if the search stopped at a bound before it read enough to reject
 */
export function noRoom(familyRequest: FamilyRequest, missing: number, search: Nothing): Rejection {
  if (search.scans.some(({ bounded }) => bounded)) throw outOfSight();
  if (search.refused && !areShut(familyRequest)) {
    const { code, detail, members } = overQuota(familyRequest, search.refused);
    const more = { missing: [missingOf(familyRequest, missing, code)], ...reachOf(search) };
    return new Rejection(code, detail, { ...members, ...more });
  }
  return search.capped && !areShut(familyRequest)
    ? atTheCap(familyRequest, missing, search)
    : exhausted(familyRequest, missing, search);
}

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

function atTheCap(familyRequest: FamilyRequest, missing: number, search: Nothing): Rejection {
  const { blocks } = search;
  const unseen = unseenIn(search);
  return new Rejection(
    "block_limit",
    `Host ${hostName(familyRequest.host)} has ${blocks} IPv${familyRequest.family} blocks with no room for ${missing} more, and may have ${familyRequest.blocksMax}${closing(
      unseen.length > 0 ? ["none was found to borrow from", ...unseen] : [],
    )}.`,
    {
      blocks,
      maxBlocksPerHost: familyRequest.blocksMax,
      missing: [missingOf(familyRequest, missing, "block_limit")],
      ...reachOf(search),
    },
  );
}

function exhausted(familyRequest: FamilyRequest, missing: number, search: Nothing): Rejection {
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
    ...whyPassed(pool, familyRequest, scanned.has(pool.id)),
  }));
  const why = reasonsOf(familyRequest, [
    ...unseenIn(search),
    ...(unreadablePools.length > 0
      ? [`${unreadablePools.map(({ name }) => name).join(", ")} cannot be read by this version`]
      : []),
    ...(autoAllocateBlocks ? [] : ["automatic claims are off (autoAllocateBlocks)"]),
    ...(strictAffinity ? ["borrowing is off (strictAffinity)"] : []),
  ]);
  return new Rejection(
    "pool_exhausted",
    `There is no room for ${missing} more IPv${familyRequest.family} ${missing === 1 ? "address" : "addresses"} of host ${hostName(familyRequest.host)} in ${namesOf(familyRequest.pools)}${closing(why)}.`,
    { missing: [missingOf(familyRequest, missing, "pool_exhausted")], pools, ...reachOf(search) },
  );
}

/** Returns why a pool was passed over; nothing for one that was not tried. */
function whyPassed(
  pool: Pool,
  { configuration }: FamilyRequest,
  isTried: boolean,
): Unfit | undefined {
  if (isShut(pool, configuration)) return whyShut(pool, configuration);
  return isTried ? { code: "full", reason: "has no room that the host can use" } : undefined;
}

/** Returns the rejection of a request after every group of a ranged pool was seen without room. */
export function noRoomInSet(
  familyRequest: FamilyRequest,
  pool: Pool,
  { missing, groupsLooked }: { readonly missing: number; readonly groupsLooked: number },
): Rejection {
  const { configuration, family } = familyRequest;
  const why = isShut(pool, configuration)
    ? [`${pool.name} ${whyShut(pool, configuration).reason}`]
    : [];
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
          ...whyPassed(pool, familyRequest, true),
        },
      ],
      poolsTried: 1,
      poolsServing: 1,
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
