import * as v from "valibot";
import { pageEntries } from "../../../api/query.ts";
import { affinityType, cidr, flagText, resourceName } from "../../../api/schema/field.ts";
import { hostReserved } from "../../../api/schema/host-reserved.ts";
import { labels } from "../../../api/schema/labels.ts";
import { oneWayToNamePools, poolNames } from "../../../api/schema/pool-names.ts";
import { fields, list, rule } from "../../../api/schema/schema.ts";
import {
  AFFINITIES_PER_PAGE_MAX,
  BLOCKS_PER_PAGE_DEFAULT,
  BLOCKS_PER_PAGE_MAX,
} from "../../../base/limits.ts";
import type { Family } from "../../../net/address.ts";

/** Affinities on a page of all hosts, unless the request has a limit; each of their hosts is a read. */
const AFFINITIES_PER_PAGE_DEFAULT = 100;

export const affinityListQuery = {
  affinityType: v.optional(affinityType, "host"),
  ...pageEntries(BLOCKS_PER_PAGE_DEFAULT, BLOCKS_PER_PAGE_MAX),
};

/** The cursor that continues a claim of a range that one request did not complete. */
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

/** The query and the answers of the affinities of all hosts. */

export const spaceAffinitiesQuery = {
  pool: v.optional(resourceName),
  ...pageEntries(AFFINITIES_PER_PAGE_DEFAULT, AFFINITIES_PER_PAGE_MAX),
};
