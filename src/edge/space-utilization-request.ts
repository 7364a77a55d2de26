import * as v from "valibot";
import type { SpaceUtilizationPosition } from "../allocator/space-utilization.ts";
import { POOLS_PER_REQUEST_MAX } from "../domain/limits.ts";
import { openCursor } from "./cursor.ts";
import { shortDigest } from "./digest.ts";
import { flagText, poolReference, resourceName, unique, wholeText } from "./field.ts";
import type { Event } from "./http.ts";
import { NAMED_PER_PAGE_MAX } from "./named-list.ts";
import { readQuery } from "./parameters.ts";
import { invalid, Problem } from "./problem.ts";
import { list } from "./schema.ts";
import { tablePlace } from "./table-place.ts";
import { utilizationPosition } from "./utilization-request.ts";

/** A parameter that comes several times comes as one text with commas, which no name and no CIDR has. */
const poolReferences = v.pipe(
  v.string(),
  v.metadata({
    description: "Names or CIDRs of pools; all of them where none is named",
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
  orphans: v.optional(flagText, "false"),
  limit: v.optional(wholeText(1, NAMED_PER_PAGE_MAX)),
  cursor: v.optional(v.string()),
};

const position = v.union([
  v.object({ pool: resourceName, within: v.optional(utilizationPosition) }),
  v.object({ orphansAfter: v.nullable(tablePlace) }),
]);

/** What is asked for: some pools or all, and from where on. */
export interface SpaceUtilizationWanted {
  readonly space: string;
  readonly named: readonly string[];
  readonly orphans: boolean;
  readonly limit: number | undefined;
  readonly position?: SpaceUtilizationPosition | undefined;
}

export function readSpaceUtilization(event: Event): SpaceUtilizationWanted | Problem {
  const query = readQuery(event, spaceUtilizationQuery);
  if (query instanceof Problem) return query;
  const { space, pool: named = [], orphans, limit, cursor } = query;
  if (orphans && named.length > 0)
    return invalid({ field: "?orphans", problem: "excludes pool; send one of them" });
  const wanted = { space, named, orphans, limit };
  const opened = openCursor(cursor, spaceUtilizationOf(wanted), position);
  return opened instanceof Problem ? opened : { ...wanted, ...opened };
}

/** What a cursor is bound to. It comes in a query beside the names themselves, which a request line has room for once. */
export const spaceUtilizationOf = ({
  space,
  named,
  orphans,
}: Pick<SpaceUtilizationWanted, "space" | "named" | "orphans">) => [
  "utilizations",
  space,
  orphans,
  ...(named.length > 0 ? [shortDigest(JSON.stringify(named))] : []),
];
