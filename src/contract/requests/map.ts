import * as v from "valibot";
import { MAP_GROUPS_PER_PAGE_MAX } from "../../domain/limits.ts";
import { cidr } from "../schema/field.ts";
import { pageEntries } from "./query.ts";

const DETAILS = ["groups", "blocks"] as const;

export const poolMapQuery = {
  detail: v.optional(v.picklist(DETAILS, `must be one of ${DETAILS.join(", ")}`), "groups"),
  cidr: v.optional(cidr),
  ...pageEntries(MAP_GROUPS_PER_PAGE_MAX, MAP_GROUPS_PER_PAGE_MAX),
};
