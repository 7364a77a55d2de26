import * as v from "valibot";
import { addressInCursor, openCursor, sealCursor } from "../../../api/http/cursor.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { parseQuery } from "../../../api/http/parameters.ts";
import { unreadableBody } from "../../../api/http/unreadable.ts";
import { formatAddress } from "../../../net/address.ts";
import { handleListQuery, hostListQuery } from "../contract/search-request.ts";
import type { HandleFound } from "../operations/list-handles.ts";
import type { HolderPosition, HoldersFound, HoldersWanted } from "../operations/list-holders.ts";
import type { HostFound } from "../operations/list-hosts.ts";

const position = v.strictObject({
  place: v.optional(v.string()),
  after: addressInCursor,
  name: v.optional(v.string()),
});

type HandlesWanted = HoldersWanted & { readonly prefix: string };

/** Parses which handles a request lists. */
export function parseHandleList(event: Event): HandlesWanted {
  const query = parseQuery(event, handleListQuery);
  const { cursor, prefix = "", ...asked } = query;
  return { ...asked, prefix, ...openCursor(cursor, handlesOf({ ...asked, prefix }), position) };
}

/** Parses which hosts a request lists. */
export function parseHostList(event: Event): HoldersWanted {
  const query = parseQuery(event, hostListQuery);
  const { cursor, ...asked } = query;
  return { ...asked, ...openCursor(cursor, hostsOf(asked), position) };
}

export const handleListAnswer = (
  { items, ...page }: HoldersFound<HandleFound>,
  requestId: string,
  wanted: HandlesWanted,
): AnswerOf<"GET /v1/handles"> => {
  const handles = items.map(({ name }) => ({ handle: name }));
  return answerOf({ requestId, handles }, page, handlesOf(wanted));
};

export const hostListAnswer = (
  { items, ...page }: HoldersFound<HostFound>,
  requestId: string,
  wanted: HoldersWanted,
): AnswerOf<"GET /v1/hosts"> => {
  const hosts = items.map(({ name: _, ...host }) => host);
  return answerOf({ requestId, hosts }, page, hostsOf(wanted));
};

const answerOf = <Body extends object>(
  body: Body,
  { read, unreadable, next }: Omit<HoldersFound<never>, "items">,
  list: readonly unknown[],
) => ({
  status: 200 as const,
  body: {
    ...body,
    read,
    ...unreadableBody(unreadable),
    ...(next && { next: sealCursor(list, inCursor(next)) }),
  },
});

const inCursor = ({ after, ...rest }: HolderPosition) => ({ ...rest, after: formatAddress(after) });

/** Identifies the list of a cursor. */
const handlesOf = ({ space, prefix }: Pick<HandlesWanted, "space" | "prefix">) => [
  "handles",
  space,
  prefix,
];

const hostsOf = ({ space }: Pick<HoldersWanted, "space">) => ["hosts", space];
