import * as v from "valibot";
import type { SpaceUtilizationPosition } from "../../allocator/read/space-utilization.ts";
import { spaceUtilizationQuery } from "../../contract/requests/utilization.ts";
import { resourceName } from "../../contract/schema/field.ts";
import { shortDigest } from "../http/body.ts";
import { openCursor } from "../http/cursor.ts";
import type { Event } from "../http/event.ts";
import { readQuery } from "../http/parameters.ts";
import { utilizationPosition } from "./request.ts";

const position = v.object({ pool: resourceName, within: v.optional(utilizationPosition) });

/** The requested pools, or all, and the start position. */
export interface SpaceUtilizationWanted {
  readonly space: string;
  readonly named: readonly string[];
  readonly limit: number | undefined;
  readonly position?: SpaceUtilizationPosition | undefined;
}

export function readSpaceUtilization(event: Event): SpaceUtilizationWanted {
  const query = readQuery(event, spaceUtilizationQuery);
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
