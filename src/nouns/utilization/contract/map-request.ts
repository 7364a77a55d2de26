import * as v from "valibot";
import { pageEntries } from "../../../api/query.ts";
import { cidr } from "../../../api/schema/field.ts";
import { MAP_GROUPS_PER_PAGE_MAX } from "../../../base/limits.ts";

const DETAILS = ["groups", "blocks"] as const;

export const poolMapQuery = {
  detail: v.optional(v.picklist(DETAILS, `must be one of ${DETAILS.join(", ")}`), "groups"),
  cidr: v.optional(cidr),
  ...pageEntries(MAP_GROUPS_PER_PAGE_MAX, MAP_GROUPS_PER_PAGE_MAX),
};
