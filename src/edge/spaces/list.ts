import * as v from "valibot";
import { namedListQuery } from "../../contract/requests/query.ts";
import { spaceName } from "../../contract/schema/field.ts";
import type { ListedPage, PageWanted } from "../../domain/listed.ts";
import type { SpaceEntry } from "../../domain/space.ts";
import { openCursor, sealCursor } from "../http/cursor.ts";
import type { AnswerOf, Event } from "../http/event.ts";
import { readQuery } from "../http/parameters.ts";
import { unreadableBody } from "../http/unreadable.ts";

const LIST = ["spaces"];

export function readSpaceList(event: Event): PageWanted<string> {
  const query = readQuery(event, namedListQuery);
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
