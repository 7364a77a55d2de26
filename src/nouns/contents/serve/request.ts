import * as v from "valibot";
import { addressInCursor, openCursor } from "../../../api/http/cursor.ts";
import type { Event } from "../../../api/http/event.ts";
import { parseQuery } from "../../../api/http/parameters.ts";
import { PARTS_OF_SPACE } from "../../../invariants/contents.ts";
import { contentsQuery } from "../contract/request.ts";
import type { ContentsPosition } from "../operations/list-contents.ts";

/** The size of a sort key in DynamoDB, without the name of a space, which can come before it. */
const NAME_BYTES_MAX = 960;
/** A lone surrogate is not a character, and no database stores it. */
const name = v.pipe(v.string(), v.regex(/^\P{Cs}+$/u), v.maxBytes(NAME_BYTES_MAX));
const told = v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1)));

const position = v.union([
  v.strictObject({ part: v.picklist(PARTS_OF_SPACE), after: v.optional(name), told }),
  v.strictObject({
    place: v.string(),
    from: v.optional(addressInCursor),
    told,
  }),
]);

/** A space, and the position where a page of its contents begins. */
export interface ContentsWanted {
  readonly space: string;
  readonly position?: ContentsPosition | undefined;
}

export function parseContentsWanted(event: Event): ContentsWanted {
  const query = parseQuery(event, contentsQuery);
  const { space, cursor } = query;
  return { space, ...openCursor(cursor, contentsOfCursor({ space }), position) };
}

/** Identifies the list of a cursor. */
export const contentsOfCursor = ({ space }: { readonly space: string }) => ["contents", space];
