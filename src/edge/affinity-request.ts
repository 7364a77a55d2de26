import * as v from "valibot";
import type { PoolsAsked } from "../allocator/assignment.ts";
import type { Address, Family } from "../domain/address.ts";
import { type Cidr, formatCidr } from "../domain/cidr.ts";
import { type HostId, hostId } from "../domain/host.ts";
import type { HostReservedAsked } from "../domain/host-reserved.ts";
import type { Labels } from "../domain/labels.ts";
import { BLOCKS_PER_PAGE_DEFAULT, BLOCKS_PER_PAGE_MAX } from "../domain/limits.ts";
import { readJson } from "./body.ts";
import { addressInCursor, openCursor } from "./cursor.ts";
import { affinityType, cidr, flagText } from "./field.ts";
import { hostReserved } from "./host-reserved.ts";
import type { Event } from "./http.ts";
import { labels } from "./labels.ts";
import { pageEntries, readHostWith } from "./parameters.ts";
import { oneWayToNamePools, poolNames, poolsAsked } from "./pool-names.ts";
import { invalid, Problem } from "./problem.ts";
import { checked, fields, list, rule } from "./schema.ts";

export const affinityListQuery = {
  affinityType: v.optional(affinityType, "host"),
  ...pageEntries(BLOCKS_PER_PAGE_DEFAULT, BLOCKS_PER_PAGE_MAX),
};

/** A claim of a range that one request did not come through goes on with its cursor. */
export const affinityClaimQuery = { cursor: v.optional(v.string()) };

export const affinityReleaseQuery = {
  affinityType: v.optional(affinityType, "host"),
  cidr: v.optional(cidr),
  mustBeEmpty: v.optional(flagText, "false"),
  cursor: v.optional(v.string()),
};

const families = v.pipe(
  list(
    v.picklist([4, 6], "must be 4 or 6"),
    { min: 1, max: 2 },
    {
      type: "must be an array of 4 and 6",
      min: "must name a family, 4 or 6",
      max: "must name each family once",
    },
  ),
  v.check<Family[], string>(
    (named) => new Set(named).size === named.length,
    "must name each family once",
  ),
);

export const affinitiesBody = v.pipe(
  fields({
    affinityType: v.optional(affinityType, "host"),
    cidr: v.optional(cidr),
    families: v.optional(families),
    ...poolNames,
    hostReserved: v.optional(hostReserved),
    hostLabels: v.optional(labels),
  }),
  rule((input) => oneWayToNamePools(input)),
  rule(({ cidr, families, pools, ipv4Pools, ipv6Pools, hostReserved, hostLabels }) => {
    if (!cidr && !families)
      return [{ field: "cidr", problem: "is required, or families in its place" }];
    if (cidr && families)
      return [{ field: "cidr", problem: "excludes families; send one of them" }];
    if (!cidr) return [];
    const problem = "needs families; a range lies in the pool it lies in";
    return [
      ...Object.entries({ pools, ipv4Pools, ipv6Pools })
        .filter(([, named]) => named.length > 0)
        .map(([field]) => ({ field, problem })),
      ...(hostReserved ? [{ field: "hostReserved", problem: "needs families" }] : []),
      ...(hostLabels ? [{ field: "hostLabels", problem: "needs families" }] : []),
    ];
  }),
);

/** A range that a host is to have, or families of which it is to have a block. */
export type AffinitiesWanted = { readonly space: string; readonly host: HostId } & (
  | { readonly cidr: Cidr; readonly position?: Address | undefined }
  | ({
      readonly families: readonly Family[];
      /** What the host keeps for itself in a block that it claims. */
      readonly hostReserved?: HostReservedAsked;
      /** By which pools judge it in place of those that are registered. */
      readonly hostLabels?: Labels;
    } & PoolsAsked)
);

const position = v.object({ after: addressInCursor });

export function readAffinityList(event: Event) {
  const query = readHostWith(event, affinityListQuery);
  if (query instanceof Problem) return query;
  const { space, limit, cursor } = query;
  const wanted = { space, host: hostId(query.affinityType, query.node), limit };
  const opened = openCursor(cursor, affinityListOf(wanted), position);
  return opened instanceof Problem ? opened : { ...wanted, ...opened };
}

export function readAffinityClaim(event: Event): AffinitiesWanted | Problem {
  const json = readJson(event);
  if (json instanceof Problem) return json;
  const input = checked(affinitiesBody, json.value);
  if (input instanceof Problem) return input;
  const path = readHostWith(event, affinityClaimQuery);
  if (path instanceof Problem) return path;
  const { cidr, families = [], hostReserved, hostLabels } = input;
  const whose = { space: path.space, host: hostId(input.affinityType, path.node) };
  if (cidr) {
    const opened = openCursor(path.cursor, affinityClaimOf({ ...whose, cidr }), position);
    return opened instanceof Problem
      ? opened
      : { ...whose, cidr, position: opened.position?.after };
  }
  if (path.cursor !== undefined)
    return invalid({ field: "?cursor", problem: "goes on with a range, and the body has none" });
  return {
    ...whose,
    families,
    ...poolsAsked(input),
    ...(hostReserved && { hostReserved }),
    ...(hostLabels && { hostLabels }),
  };
}

export function readAffinityRelease(event: Event) {
  const query = readHostWith(event, affinityReleaseQuery);
  if (query instanceof Problem) return query;
  const { space, cidr, mustBeEmpty, cursor } = query;
  const releasing = { space, host: hostId(query.affinityType, query.node), mustBeEmpty, cidr };
  const opened = openCursor(cursor, affinityReleaseOf(releasing), position);
  return opened instanceof Problem ? opened : { ...releasing, position: opened.position?.after };
}

/** What a cursor of the list is bound to. */
export const affinityListOf = ({
  space,
  host,
}: {
  readonly space: string;
  readonly host: HostId;
}) => ["affinities", space, host];

/** What a cursor of a claim is bound to. */
export const affinityClaimOf = ({
  space,
  host,
  cidr,
}: {
  readonly space: string;
  readonly host: HostId;
  readonly cidr: Cidr;
}) => ["affinities to claim", space, host, formatCidr(cidr)];

/** What a cursor of a release is bound to. */
export const affinityReleaseOf = ({
  space,
  host,
  mustBeEmpty,
  cidr,
}: {
  readonly space: string;
  readonly host: HostId;
  readonly mustBeEmpty: boolean;
  readonly cidr?: Cidr | undefined;
}) => ["affinities to release", space, host, mustBeEmpty, ...(cidr ? [formatCidr(cidr)] : [])];
