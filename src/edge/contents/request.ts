import * as v from "valibot";
import { contentsQuery } from "../../contract/requests/contents.ts";
import { Problem } from "../../contract/schema/problem.ts";
import { openCursor } from "../http/cursor.ts";
import type { Event } from "../http/event.ts";
import { readQuery } from "../http/parameters.ts";
import { tablePlace } from "../http/table-position.ts";

const position = v.object({ after: tablePlace });

/** Reads the space of a request, and the start position. */
export function readContentsWanted(
  event: Event,
): { readonly space: string; readonly after?: string } | Problem {
  const query = readQuery(event, contentsQuery);
  if (query instanceof Problem) return query;
  const { space, cursor } = query;
  const opened = openCursor(cursor, contentsOf({ space }), position);
  return opened instanceof Problem ? opened : { space, ...opened.position };
}

/** Identifies the list of a cursor. */
export const contentsOf = ({ space }: { readonly space: string }) => ["contents", space];
