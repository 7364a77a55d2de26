import * as v from "valibot";
import { PAGE_BYTES_MAX } from "../../base/limits.ts";
import type { Listed, PageWanted } from "../../base/listed.ts";
import { namedListQuery } from "../query.ts";
import { resourceName } from "../schema/field.ts";
import { openCursor, sealCursor } from "./cursor.ts";
import type { Event } from "./event.ts";
import { parseQuery } from "./parameters.ts";
import { unreadableBody } from "./unreadable.ts";

/** The page that a request asks for. */
export interface NamedListWanted extends PageWanted<string> {
  readonly space: string;
}

interface Named {
  readonly name: string;
}

/** Makes a list in the order of its items' names. */
export const namedList = <Item extends Named, List extends string, Body extends object>(
  list: List,
  bodyOf: (item: Item) => Body,
) => pagedList(list, bodyOf, ({ name }) => name, resourceName);

/**
 * Makes a list that Plat reads as a whole, and answers in pages with a maximum of items and of bytes.
 *
 * @param list its name in the API's paths and answers
 * @param bodyOf makes the answer's body for an item
 * @param placeOf returns the text by which the items are ordered
 * @param place the schema of that text
 */
export function pagedList<Item, List extends string, Body extends object>(
  list: List,
  bodyOf: (item: Item) => Body,
  placeOf: (item: Item) => string,
  place: v.GenericSchema<string, string>,
) {
  const listOf = ({ space }: { readonly space: string }) => [list, space];
  return {
    read(event: Event): NamedListWanted {
      const read = parseQuery(event, namedListQuery);
      const { cursor, ...asked } = read;
      const opened = openCursor(cursor, listOf(asked), v.object({ after: place }));
      return { ...asked, after: opened.position?.after };
    },

    answer({ items, unreadable }: Listed<Item>, _requestId: string, wanted: NamedListWanted) {
      const { limit, after = "" } = wanted;
      const left = items.filter((item) => placeOf(item) > after);
      const bodies: Body[] = [];
      let bytes = 0;
      for (const item of left) {
        if (bodies.length === limit) break;
        const body = bodyOf(item);
        bytes += Buffer.byteLength(JSON.stringify(body));
        // A page has at least one item, whatever its size, because otherwise the list would not advance.
        if (bodies.length > 0 && bytes > PAGE_BYTES_MAX) break;
        bodies.push(body);
      }
      const last = bodies.length < left.length ? left[bodies.length - 1] : undefined;
      return {
        status: 200 as const,
        body: {
          ...({ [list]: bodies } as Record<List, Body[]>),
          ...unreadableBody(unreadable),
          ...(last && { next: sealCursor(listOf(wanted), { after: placeOf(last) }) }),
        },
      };
    },
  };
}
