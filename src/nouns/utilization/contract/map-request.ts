import * as v from "valibot";
import { pageEntries } from "../../../api/query.ts";
import { cidr } from "../../../api/schema/field.ts";

/**
 * Block groups on a page of a map: full blocks of 64 addresses in all of them cost about 900 read units, eventually consistent. With
 * the counts of every block the page has up to 400 KB.
 */
export const MAP_GROUPS_PER_PAGE_MAX = 64;

const DETAILS = ["groups", "blocks"] as const;

export const poolMapQuery = {
  detail: v.optional(v.picklist(DETAILS, `must be one of ${DETAILS.join(", ")}`), "groups"),
  cidr: v.optional(cidr),
  ...pageEntries(MAP_GROUPS_PER_PAGE_MAX, MAP_GROUPS_PER_PAGE_MAX),
};
