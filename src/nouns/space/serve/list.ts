import * as v from "valibot";
import { openCursor, sealCursor } from "../../../api/http/cursor.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { parseQuery } from "../../../api/http/parameters.ts";
import { unreadableBody } from "../../../api/http/unreadable.ts";
import { namedListQuery } from "../../../api/query.ts";
import { spaceName } from "../../../api/schema/field.ts";
import type { ListedPage, PageWanted } from "../../../base/listed.ts";
import type { SpaceEntry } from "../space.ts";

const LIST = ["spaces"];

export function parseSpaceList(event: Event): PageWanted<string> {
  const query = parseQuery(event, namedListQuery);
  const opened = openCursor(query.cursor, LIST, v.object({ after: spaceName }));
  return { limit: query.limit, after: opened.position?.after };
}

export function spaceListAnswer(
  { items, unreadable, next }: ListedPage<SpaceEntry, string>,
  requestId: string,
): AnswerOf<"GET /v1/spaces"> {
  const spaces = items.map(({ space }) => ({ name: space }));
  const cursor = next !== undefined && { next: sealCursor(LIST, { after: next }) };
  return { status: 200, body: { requestId, spaces, ...unreadableBody(unreadable), ...cursor } };
}
