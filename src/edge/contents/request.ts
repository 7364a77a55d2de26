import * as v from "valibot";
import { contentsQuery } from "../../contract/requests/contents.ts";
import { Problem } from "../../contract/schema/problem.ts";
import { openCursor } from "../http/cursor.ts";
import type { Event } from "../http/event.ts";
import { readQuery } from "../http/parameters.ts";
import { tablePlace } from "../http/table-position.ts";

const position = v.object({ after: tablePlace });

/** Reads whose contents are asked for, and from where on. */
export function readContentsWanted(
  event: Event,
): { readonly space: string; readonly after?: string } | Problem {
  const query = readQuery(event, contentsQuery);
  if (query instanceof Problem) return query;
  const { space, cursor } = query;
  const opened = openCursor(cursor, contentsOf({ space }), position);
  return opened instanceof Problem ? opened : { space, ...opened.position };
}

/** Names the list that a cursor belongs to. */
export const contentsOf = ({ space }: { readonly space: string }) => ["contents", space];
