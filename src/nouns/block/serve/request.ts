import * as v from "valibot";
import { addressInCursor, openCursor } from "../../../api/http/cursor.ts";
import type { Event } from "../../../api/http/event.ts";
import { inPath, parseQuery } from "../../../api/http/parameters.ts";
import { cidr } from "../../../api/schema/field.ts";
import { invalid } from "../../../api/schema/problem.ts";
import { hostId } from "../../../kernel/values/host.ts";
import { type Cidr, formatCidr } from "../../../net/cidr.ts";
import { blockListQuery, blockQuery } from "../contract/request.ts";
import type { BlocksWanted } from "../operations/list-blocks.ts";

/**
 * The position in a list. A walk goes pool by pool, so the position names the pool; the blocks of a host have one
 * order.
 */
const position = v.strictObject({ place: v.optional(v.string()), after: addressInCursor });

/** Parses which blocks a request lists: those of a host, of a pool, or all of the space. */
export function parseBlockList(event: Event): BlocksWanted {
  const query = parseQuery(event, blockListQuery);
  const { space, pool, host, affinityType, limit, cursor } = query;
  if (host === undefined && affinityType !== undefined)
    throw invalid({ field: "?affinityType", value: affinityType, problem: "needs a host" });
  const wanted = {
    space,
    pool,
    host: host === undefined ? undefined : hostId(affinityType ?? "host", host),
    limit,
  };
  return { ...wanted, ...openCursor(cursor, blockListOf(wanted), position) };
}

/** Parses the block of a request, and the page of its addresses. */
export function parseBlockPath(event: Event) {
  const query = parseQuery(event, blockQuery);
  const block = inPath("cidr", cidr, event.pathParameters?.cidr);
  const wanted = { space: query.space, cidr: block, limit: query.limit };
  const opened = openCursor(
    query.cursor,
    blockOfCursor(wanted),
    v.object({ after: addressInCursor }),
  );
  return { ...wanted, position: opened.position?.after };
}

/** Identifies the list of a cursor. */
export const blockListOf = ({ space, pool, host }: BlocksWanted) => [
  "blocks",
  space,
  pool ?? null,
  host ?? null,
];

/** Identifies the block of a cursor. */
export const blockOfCursor = ({ space, cidr }: { readonly space: string; readonly cidr: Cidr }) => [
  "block",
  space,
  formatCidr(cidr),
];
