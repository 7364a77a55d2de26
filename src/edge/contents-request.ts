import * as v from "valibot";
import { openCursor } from "./cursor.ts";
import type { Event } from "./http.ts";
import { readQuery } from "./parameters.ts";
import { Problem } from "./problem.ts";
import { tablePlace } from "./table-place.ts";

export const contentsQuery = { cursor: v.optional(v.string()) };

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

/** What a cursor is bound to. */
export const contentsOf = ({ space }: { readonly space: string }) => ["contents", space];
