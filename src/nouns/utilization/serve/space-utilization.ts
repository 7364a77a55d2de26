import * as v from "valibot";
import { shortDigest } from "../../../api/http/body.ts";
import { openCursor } from "../../../api/http/cursor.ts";
import type { Event } from "../../../api/http/event.ts";
import { parseQuery } from "../../../api/http/parameters.ts";
import { resourceName } from "../../../api/schema/field.ts";
import { spaceUtilizationQuery } from "../contract/request.ts";
import type { SpaceUtilizationPosition } from "../operations/space-utilization.ts";
import { utilizationPosition } from "./utilization.ts";

const position = v.object({ pool: resourceName, within: v.optional(utilizationPosition) });

/** The requested pools, or all, and the start position. */
export interface SpaceUtilizationWanted {
  readonly space: string;
  readonly named: readonly string[];
  readonly limit: number | undefined;
  readonly position?: SpaceUtilizationPosition | undefined;
}

export function parseSpaceUtilization(event: Event): SpaceUtilizationWanted {
  const query = parseQuery(event, spaceUtilizationQuery, ["pool"]);
  const { space, pool: named = [], limit, cursor } = query;
  const wanted = { space, named, limit };
  return { ...wanted, ...openCursor(cursor, spaceUtilizationOf(wanted), position) };
}

/** Identifies the list of a cursor. The query also has the names, and a request line has room for them only once. */
export const spaceUtilizationOf = ({
  space,
  named,
}: Pick<SpaceUtilizationWanted, "space" | "named">) => [
  "utilizations",
  space,
  ...(named.length > 0 ? [shortDigest(JSON.stringify(named))] : []),
];
