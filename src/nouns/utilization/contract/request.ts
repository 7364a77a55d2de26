import * as v from "valibot";
import { NAMED_PER_PAGE_MAX } from "../../../api/query.ts";
import { poolReference, unique, wholeText } from "../../../api/schema/field.ts";
import { list } from "../../../api/schema/schema.ts";
import { BLOCKS_PER_PAGE_MAX, POOLS_PER_REQUEST_MAX } from "../../../base/limits.ts";

export const utilizationQuery = {
  limit: v.optional(wholeText(1, BLOCKS_PER_PAGE_MAX)),
  cursor: v.optional(v.string()),
};

/** A parameter that comes several times comes as one text with commas, which no name and no CIDR has. */
const poolReferences = v.pipe(
  v.string(),
  v.metadata({
    type: "array",
    items: { type: "string" },
    maxItems: POOLS_PER_REQUEST_MAX,
  }),
  v.transform((text) => text.split(",")),
  list(
    poolReference,
    { max: POOLS_PER_REQUEST_MAX },
    { type: "must be names", max: `must name at most ${POOLS_PER_REQUEST_MAX} pools` },
  ),
  unique<string>("must name each pool once"),
);

export const spaceUtilizationQuery = {
  pool: v.optional(poolReferences),
  limit: v.optional(wholeText(1, NAMED_PER_PAGE_MAX)),
  cursor: v.optional(v.string()),
};
